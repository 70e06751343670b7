/** basic/utilities of 2025-11-25: cancellation, ping and progress. */
import type { ConnectOptions, ClientDiagnostic } from "@toolwire/client";
import { createHttpTransport } from "@toolwire/client/http";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "../../transports/http/listen.ts";
import { isCall, SILENCE, type Script } from "../../scripted-server.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { connected, responsesTo } from "./connected.ts";

/** Connects, and has the server ask something, as `q`, that its handler never answers. */
async function connectedAndAsked(
  script: Script = {},
  options: ConnectOptions = {},
): Promise<Awaited<ReturnType<typeof connected>>> {
  const asked = withResolvers<void>();
  const roots = (): Promise<never> => {
    asked.resolve();
    return new Promise(() => {});
  };
  const both = await connected(script, { ...options, roots });
  both.server.send({ jsonrpc: "2.0", id: "q", method: "roots/list" });
  await asked.promise;
  return both;
}

describe("cancellation", () => {
  test("cancellations MUST only name what is believed to be in progress: an answered request is not cancelled", async () => {
    const { server, client } = await connected({ "tools/call": { content: [] } });
    const stop = new AbortController();
    await client.callTool("t", {}, { signal: stop.signal });
    stop.abort();
    await client.ping();
    expect(server.notifications("notifications/cancelled")).toStrictEqual([]);
  });

  test("`initialize` MUST NOT be cancelled, over HTTP too", async () => {
    const asked = withResolvers<void>();
    const { url, seen } = await listen(({ message }, response) => {
      if (message?.method === "initialize") asked.resolve();
      else sendJson(response, { jsonrpc: "2.0", id: message?.id, result: {} });
    });
    const transport = createHttpTransport(url);
    void transport.open({});
    onTestFinished(() => transport.close());
    const caller = new Caller(transport);
    const stop = new AbortController();
    const initializing = caller.call("initialize", {}, { signal: stop.signal });
    await asked.promise;
    stop.abort(new Error("enough"));
    await expect(initializing).rejects.toThrow("enough");
    await caller.call("ping", {});
    expect(seen.map(({ message }) => message?.method)).toStrictEqual(["initialize", "ping"]);
  });

  test("the sender of a cancellation SHOULD ignore a response that comes afterwards", async () => {
    const events: ClientDiagnostic[] = [];
    const { server, client } = await connected(
      { "tools/call": () => SILENCE },
      { onDiagnostic: (event) => events.push(event) },
    );
    const stop = new AbortController();
    const call = client.callTool("t", {}, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await server.arrival(isCall("notifications/cancelled"));
    server.send({ jsonrpc: "2.0", id: server.requests("tools/call")[0]!.id, result: { content: [] } });
    await client.ping();
    expect(events.filter(({ level }) => level !== "debug")).toStrictEqual([]);
  });

  test("both parties MUST handle cancellations that cross the response: they are ignored", async () => {
    const events: ClientDiagnostic[] = [];
    const { server } = await connected({}, { roots: [], onDiagnostic: (event) => events.push(event) });
    await server.push("roots/list");
    server.notify("notifications/cancelled", { requestId: "push-1" });
    await server.push("ping");
    expect(responsesTo(server, "push-1")).toHaveLength(1);
    expect(events).toStrictEqual([]);
  });

  test("reasons SHOULD be logged: the operator hears of them, quoted and cut", async () => {
    const events: ClientDiagnostic[] = [];
    const { server } = await connectedAndAsked({}, { onDiagnostic: (event) => events.push(event) });
    server.notify("notifications/cancelled", { requestId: "q", reason: `no\n${"x".repeat(1000)}` });
    await server.push("ping");
    expect(events).toHaveLength(1);
    expect(events[0]?.level).toBe("debug");
    expect(events[0]?.message).toMatch(/^roots\/list was cancelled: "no\\nx{197}"\.$/);
  });

  test("a question that is cancelled at once SHOULD NOT be asked at all", async () => {
    let asked = 0;
    const { server } = await connected({}, { roots: () => (asked++, []) });
    server.send({ jsonrpc: "2.0", id: "q", method: "roots/list" });
    server.notify("notifications/cancelled", { requestId: "q" });
    await server.push("ping");
    expect(asked).toBe(0);
    expect(responsesTo(server, "q")).toStrictEqual([]);
  });

  test("the resources of a cancelled question SHOULD be freed: calls have no more time than theirs, whatever its handler does", async () => {
    const { server, client } = await connectedAndAsked({ "tools/call": () => SILENCE });
    server.notify("notifications/cancelled", { requestId: "q" });
    await expect(client.callTool("t", {}, { timeout: 200 })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test.each([{ requestId: "unknown" }, { requestId: {} }, { requestId: null }, {}, undefined])(
    "invalid cancellations SHOULD be ignored: %j",
    async (params) => {
      const { server } = await connected();
      const before = server.received.length;
      server.notify("notifications/cancelled", params);
      await server.push("ping");
      expect(server.received.slice(before)).toHaveLength(1);
    },
  );

  test("a cancellation of what the client has asked itself SHOULD be ignored", async () => {
    const { client } = await connected({
      "tools/call": async (_, { id }, self) => {
        self.notify("notifications/cancelled", { requestId: id, reason: "not yours to cancel" });
        await self.push("ping");
        return { content: [] };
      },
    });
    expect(await client.callTool("t")).toStrictEqual({ content: [] });
  });
});

describe("ping", () => {
  test("the receiver MUST respond promptly with an empty response, also while the user is asked", async () => {
    const { server } = await connectedAndAsked();
    expect(await server.push("ping")).toStrictEqual({ jsonrpc: "2.0", id: "push-1", result: {} });
  });
});

describe("progress", () => {
  test("tokens MUST be strings or integers, unique across all active requests", async () => {
    const { server, client } = await connected({
      "tools/call": async (params, _, self) => {
        if (params["name"] === "c") return { content: [] };
        await self.arrival((message) => isCall("tools/call")(message) && JSON.stringify(message).includes('"c"'));
        return { content: [] };
      },
    });
    await Promise.all(["a", "b", "c"].map((name) => client.callTool(name, {}, { onProgress: () => {} })));
    const tokens = server
      .requests("tools/call")
      .map(({ params }) => (params as { _meta: { progressToken: unknown } })._meta.progressToken);
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(typeof token === "string" || Number.isSafeInteger(token)).toBe(true);
  });

  test("tokens SHOULD be tracked: what names none of an active request reaches no call", async () => {
    const heard: number[] = [];
    const { server, client } = await connected({
      "tools/call": (params, _, self) => {
        const { progressToken } = params._meta!;
        for (const token of ["unknown", null, {}, progressToken]) {
          self.notify("notifications/progress", { progressToken: token, progress: 1 });
        }
        return { content: [] };
      },
    });
    const onProgress = ({ progress }: { progress: number }): unknown => heard.push(progress);
    await client.callTool("t", {}, { onProgress });
    server.notify("notifications/progress", { progressToken: server.requests("tools/call")[0]!.id, progress: 2 });
    await client.ping();
    expect(heard).toStrictEqual([1]);
  });
});
