import { describe, expect, test } from "vitest";
import { createFaultyEngine, type FaultyEngine } from "../../../cluster/faulty-engine.ts";
import { BOTH, Events, initialize, post, readJson } from "../../../bindings/http/client.ts";
import { nodeAt, openAt, startNodes, type Nodes, type NodesOptions } from "./nodes.ts";

/** Nodes whose engine can be cut off. */
function startCuttable(count: number, options: NodesOptions = {}): { nodes: Nodes; engine: FaultyEngine } {
  const engine = createFaultyEngine({ seed: 1 });
  return { engine, nodes: startNodes(count, { ...options, engine }) };
}

describe("a node that cannot reach the engine", () => {
  test("serves the sessions that it knows", async () => {
    const { nodes, engine } = startCuttable(1);
    const client = await openAt(nodes, 0);
    engine.cut();
    expect((await readJson(await client.call("echo", { text: "on" }))).result).toBeDefined();
    const events = new Events(await client.call("ask"));
    const question = await events.message();
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await client.send(answer)).status).toBe(202);
    expect((await events.message())?.result?.["content"]).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  });

  test("tells others to come back, and never that their session has ended", async () => {
    const { nodes, engine } = startCuttable(2);
    const client = await openAt(nodes, 0);
    engine.cut();
    nodes.to(1);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const responses = [
      await client.send(ping),
      await client.get(),
      await client.delete(),
      await client.send({ jsonrpc: "2.0", method: "notifications/initialized" }),
      await client.send({ jsonrpc: "2.0", id: "a.1", result: {} }),
      await nodes.send(post(initialize(), { accept: BOTH })),
    ];
    for (const response of responses) {
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(response.headers.get("mcp-session-id")).toBeNull();
    }
    engine.mend();
    expect((await client.send(ping)).status).toBe(200);
  });

  test("does not confirm what it could not keep", async () => {
    const { nodes, engine } = startCuttable(1);
    const client = await openAt(nodes, 0);
    engine.cut();
    const setting = await client.request("logging/setLevel", { level: "debug" });
    expect([setting.status, setting.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await client.delete()).status).toBe(503);
    engine.mend();
    expect((await client.request("logging/setLevel", { level: "debug" })).status).toBe(200);
    expect((await client.delete()).status).toBe(200);
    expect((await client.request("ping")).status).toBe(404);
  });

  test("does not lose an answer: the client sends it again, and the question is answered once", async () => {
    const { nodes, engine } = startCuttable(2);
    const client = await openAt(nodes, 0);
    const events = new Events(await client.call("ask"));
    const question = await events.message();
    nodes.to(1);
    expect((await client.request("ping")).status).toBe(200);
    engine.cut(nodeAt(nodes.nodes, 1).cluster);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await client.send(answer)).status).toBe(503);
    engine.mend();
    expect((await client.send(answer)).status).toBe(202);
    expect((await events.message())?.result?.["content"]).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  });

  test("leaves no session behind that its client has not heard of, when there is no room", async () => {
    const legacy = { sessions: { max: 2, maxPerClient: 1 } };
    const { nodes } = startCuttable(2, { legacy, authenticate: ({ header }) => ({ id: header("user") ?? "none" }) });
    const open = (user: string): Promise<Response> => nodes.send(post(initialize(), { accept: BOTH, user }));
    expect((await open("ada")).status).toBe(200);
    nodes.to(1);
    const second = await open("ada");
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await open("bob")).status).toBe(200);
    expect((await open("cy")).status).toBe(503);
  });
});

describe("a session of a cluster", () => {
  test("belongs to the caller that has opened it, at every node", async () => {
    const { nodes } = startCuttable(2, { authenticate: ({ header }) => ({ id: header("user") ?? "none" }) });
    const opened = await nodes.send(post(initialize(), { accept: BOTH, user: "ada" }));
    const session = opened.headers.get("mcp-session-id") ?? "";
    const ping = (user: string): Promise<Response> =>
      nodes.send(post({ jsonrpc: "2.0", id: 1, method: "ping" }, { accept: BOTH, "mcp-session-id": session, user }));
    for (const node of [0, 1]) {
      nodes.to(node);
      expect((await ping("eve")).status).toBe(404);
      expect((await ping("ada")).status).toBe(200);
      expect((await ping("eve")).status).toBe(404);
    }
  });

  test("belongs to the server that has opened it, although others share the engine", async () => {
    const { nodes, engine } = startCuttable(1);
    const client = await openAt(nodes, 0);
    const { createFixture } = await import("../../../bindings/http/fixture-server.ts");
    const others = startNodes(1, { engine, fixture: () => createFixture({ name: "another" }) });
    const ping = post({ jsonrpc: "2.0", id: 1, method: "ping" }, client.headers);
    expect((await others.send(ping)).status).toBe(404);
    expect((await nodes.send(ping)).status).toBe(200);
  });

  test("is asked for in the engine only by an id of the form that servers make", async () => {
    const asked: string[] = [];
    const nodes = startNodes(1, {
      wrap: (cluster) => ({
        ...cluster,
        sessions: Object.assign(Object.create(cluster.sessions) as typeof cluster.sessions, {
          get: (id: string) => {
            asked.push(id);
            return cluster.sessions.get(id);
          },
        }),
      }),
    });
    const unknown = crypto.randomUUID();
    for (const id of ["{x}:y", "x".repeat(5000), unknown]) {
      const ping = post({ jsonrpc: "2.0", id: 1, method: "ping" }, { accept: BOTH, "mcp-session-id": id });
      expect((await nodes.send(ping)).status).toBe(404);
    }
    expect(asked).toEqual([unknown]);
  });
});
