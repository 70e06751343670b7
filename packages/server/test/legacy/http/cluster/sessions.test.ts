import { describe, expect, test } from "vitest";
import { Events, initialize, post, readJson } from "../../../bindings/http/client.ts";
import { nodeAt, openAt, startNodes } from "./nodes.ts";

describe("a legacy session that several nodes serve", () => {
  test("is opened at one node and used at any other", async () => {
    const nodes = startNodes(3);
    const client = await openAt(nodes, 0);
    for (const node of [1, 2, 0]) {
      nodes.to(node);
      const response = await client.call("echo", { text: `at ${node}` });
      expect([response.status, (await readJson(response)).result?.["content"]]).toEqual([
        200,
        [{ type: "text", text: `at ${node}` }],
      ]);
    }
  });

  test("is asked at one node and answers at another", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const events = new Events(await client.call("ask"));
    const question = await events.message();
    expect(question?.method).toBe("elicitation/create");
    nodes.to(1);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await client.send(answer)).status).toBe(202);
    expect((await events.message())?.result?.["content"]).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    // Once only, wherever it comes again.
    expect((await client.send(answer)).status).toBe(202);
    nodes.to(0);
    expect((await client.send(answer)).status).toBe(202);
  });

  test("ends at all nodes when it is deleted at one", async () => {
    const nodes = startNodes(3);
    const client = await openAt(nodes, 0);
    for (const node of [1, 2]) {
      nodes.to(node);
      expect((await client.request("ping")).status).toBe(200);
    }
    expect((await client.delete()).status).toBe(200);
    for (const node of [0, 1, 2]) {
      nodes.to(node);
      expect([node, (await client.request("ping")).status]).toEqual([node, 404]);
    }
  });

  test("outlives the nodes that it was opened and used at", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const next = nodes.add();
    await Promise.all([0, 1].map((node) => nodeAt(nodes.nodes, node).handler.close()));
    nodes.to(next);
    expect((await readJson(await client.call("echo", { text: "still" }))).result?.["content"]).toEqual([
      { type: "text", text: "still" },
    ]);
  });

  test("is resumed at another node, with what was sent while nobody listened", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const events = new Events(await client.call("pause"));
    const first = await events.next();
    await events.rest();
    nodes.to(1);
    const resumed = new Events(await client.get(first?.id));
    nodeAt(nodes.nodes, 0).release();
    expect((await resumed.rest()).map(({ id, result }) => [id, result?.["content"]])).toEqual([
      [2, [{ type: "text", text: "resumed" }]],
    ]);
  });
});

describe("the HTTP+SSE transport of several nodes", () => {
  const SSE = { legacy: { sse: true } };

  test("has its stream at one node, and takes messages at any", async () => {
    const nodes = startNodes(3, SSE);
    nodes.to(0);
    const events = new Events(await nodes.send({ path: "/sse", headers: { accept: "text/event-stream" } }));
    const path = (await events.next())?.data ?? "";
    const send = (node: number, message: object): Promise<Response> => {
      nodes.to(node);
      return nodes.send({ path, ...post(message) });
    };
    expect((await send(1, initialize("2024-11-05"))).status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ protocolVersion: "2024-11-05" });
    expect((await send(2, { jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: { text: "hi" } } };
    expect((await send(1, call)).status).toBe(202);
    expect((await events.message())?.result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
    // What is no message is refused in the same words everywhere.
    const [here, there] = [await send(0, { jsonrpc: "1.0" }), await send(2, { jsonrpc: "1.0" })];
    expect([there.status, there.headers.get("content-type")]).toEqual([here.status, "application/json"]);
    await events.cancel();
  });

  test("takes no messages of another caller, nor for a stream whose node is gone", async () => {
    const nodes = startNodes(2, { ...SSE, authenticate: ({ header }) => ({ id: header("user") ?? "none" }) });
    nodes.to(0);
    const headers = { accept: "text/event-stream", user: "ada" };
    const events = new Events(await nodes.send({ path: "/sse", headers }));
    const path = (await events.next())?.data ?? "";
    nodes.to(1);
    const ping = (user: string): Promise<Response> =>
      nodes.send({ path, ...post({ jsonrpc: "2.0", id: 1, method: "ping" }, { user }) });
    expect((await ping("eve")).status).toBe(404);
    expect((await ping("ada")).status).toBe(202);
    await nodes.kill(0);
    expect((await ping("ada")).status).toBe(404);
    await events.cancel();
  });
});
