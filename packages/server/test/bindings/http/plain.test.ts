import { describe, expect, test } from "vitest";
import { BOTH, Events, post, readJson } from "./client.ts";
import { PLATFORMS } from "./platforms.ts";

const call = (name: string, args: object = {}, extra: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args, ...extra },
});

describe.each(PLATFORMS)("plain requests, without handshake or session, on $name", ({ serve }) => {
  test.each([undefined, "*/*", "application/json"])(
    "are answered as JSON with 200 whatever they accept (%s)",
    async (accept) => {
      const target = await serve();
      for (const [name, args, expected] of [
        ["echo", { text: "hi" }, "hi"],
        ["later", { text: "hi" }, "hi"],
        ["steps", {}, "done"],
        ["chat", { count: 2 }, "said"],
      ] as const) {
        const response = await target.send(post(call(name, args, { _meta: { progressToken: 1 } }), { accept }));
        expect(response.status).toBe(200);
        expect((await readJson(response)).result?.["content"]).toEqual([{ type: "text", text: expected }]);
        expect(response.headers.has("mcp-session-id")).toBe(false);
      }
    },
  );

  test.each([0, -5, 2 ** 53 - 1, "", "0", "\u00e9\u{1F600}", "a\nb"])("the id %j is echoed unchanged", async (id) => {
    const target = await serve();
    const answer = await readJson(await target.send(post({ jsonrpc: "2.0", id, method: "tools/list" })));
    expect(answer.id).toBe(id);
    expect(answer.result?.["tools"]).toBeInstanceOf(Array);
  });

  test.each([
    ["ping", null, {}],
    ["tools/list", null, { tools: expect.any(Array) }],
    ["tools/list", { cursor: null, _meta: null }, { tools: expect.any(Array) }],
    ["tools/call", { name: "echo", arguments: null, _meta: null }, { content: [{ type: "text", text: "" }] }],
  ])("null is what some clients write for what they do not say: %s %j", async (method, params, result) => {
    const { send } = await serve();
    const response = await send(post({ jsonrpc: "2.0", id: 1, method, params }));
    expect(await readJson(response)).toEqual({ jsonrpc: "2.0", id: 1, result });
  });

  test("an unknown method is a JSON-RPC error -32601 in the body", async () => {
    const target = await serve();
    const response = await target.send(post({ jsonrpc: "2.0", id: 4, method: "unknown/method" }));
    expect(response.status).toBe(200);
    expect(await readJson(response)).toMatchObject({ id: 4, error: { code: -32601 } });
  });

  test("a client that asks for events gets them", async () => {
    const target = await serve();
    const events = new Events(
      await target.send(post(call("steps", {}, { _meta: { progressToken: 1 } }), { accept: BOTH })),
    );
    expect(await events.rest()).toHaveLength(4);
  });

  test("there is nobody to ask", async () => {
    const target = await serve();
    const answer = await readJson(await target.send(post(call("ask"), { accept: BOTH })));
    expect(answer.error ?? answer.result?.["isError"]).toBeTruthy();
  });

  test("a client that leaves has cancelled: it could not be answered any more", async () => {
    const target = await serve();
    const leaving = new AbortController();
    const answer = target.send({ ...post(call("wait")), signal: leaving.signal }).catch((error: unknown) => error);
    await target.began("wait");
    leaving.abort();
    expect(await target.wasCancelled).toBeInstanceOf(DOMException);
    await answer;
  });

  test("the version header is respected, and an unsupported one refused", async () => {
    const target = await serve();
    const old = await readJson(
      await target.send(
        post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-protocol-version": "2024-11-05" }),
      ),
    );
    expect(old.result?.["tools"]).toBeInstanceOf(Array);
    for (const version of ["1999-01-01", "2999-01-01", "latest"]) {
      const response = await target.send(
        post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-protocol-version": version }),
      );
      expect(response.status).toBe(400);
      expect((await readJson(response)).error).toMatchObject({ code: -32022, data: { requested: version } });
    }
  });

  test("notifications get a 202", async () => {
    const target = await serve();
    expect((await target.send(post({ jsonrpc: "2.0", method: "notifications/initialized" }))).status).toBe(202);
  });
});
