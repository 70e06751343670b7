import type { Revision } from "@toolwire/protocol";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ServerDiagnostic } from "../../../src/index.ts";
import { BOTH, deferred, Events, MODERN, modern, post, readJson, type Extra, type Seen } from "./client.ts";
import { createFixture } from "./fixture-server.ts";
import { PLATFORMS, type Target } from "./platforms.ts";

/** Every rule of 2026-07-28, basic/transports/streamable-http, that concerns servers. */
describe.each(PLATFORMS)("Streamable HTTP of 2026-07-28 on $name", ({ serve }) => {
  async function refusal(target: Target, init: RequestInit): Promise<[number, Seen]> {
    const response = await target.send(init);
    return [response.status, await readJson(response)];
  }

  const call = (name: string, args: object = {}, extra: Extra = {}): RequestInit =>
    modern("tools/call", { name, arguments: args }, extra);

  describe("Sending Messages", () => {
    test("a request MUST be answered with one JSON object or an event stream: JSON if nothing has to go ahead", async () => {
      const target = await serve();
      const response = await target.send(call("later", { text: "hi" }, { id: "abc" }));
      expect(response.status).toBe(200);
      const answer = await readJson(response);
      expect(answer.id).toBe("abc");
      expect(answer.result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
    });

    test("a request MUST be answered with an event stream if something has to go ahead", async () => {
      const target = await serve();
      const events = new Events(await target.send(call("steps", {}, { meta: { progressToken: "t" } })));
      const messages = await events.rest();
      expect(messages.map(({ method, params }) => [method, params?.["progress"]])).toEqual([
        ["notifications/progress", 1],
        ["notifications/progress", 2],
        ["notifications/progress", 3],
        [undefined, undefined],
      ]);
      expect(messages.at(-1)?.result?.["content"]).toEqual([{ type: "text", text: "done" }]);
    });

    test("an accepted notification MUST get a 202 without a body", async () => {
      const target = await serve();
      const message = { jsonrpc: "2.0", method: "notifications/com.example/x" };
      const response = await target.send(post(message, { accept: BOTH, "mcp-protocol-version": MODERN }));
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    });

    test("a notification that cannot be accepted MUST get an HTTP error, with a JSON-RPC error without an id", async () => {
      const target = await serve();
      const message = { jsonrpc: "2.0", method: "notifications/x" };
      const [status, error] = await refusal(target, post(message, { "mcp-protocol-version": "2999-01-01" }));
      expect(status).toBe(400);
      expect(error.error?.code).toBe(-32022);
      expect(error).not.toHaveProperty("id");
    });

    test("a response MUST NOT be sent by clients: it is refused", async () => {
      const target = await serve();
      const response = { jsonrpc: "2.0", id: 1, result: {} };
      const [status, error] = await refusal(target, post(response, { accept: BOTH, "mcp-protocol-version": MODERN }));
      expect(status).toBe(400);
      expect(error).not.toHaveProperty("id");
    });

    test("the body MUST be a single message: a batch is refused", async () => {
      const target = await serve();
      const body = [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }];
      const [status, error] = await refusal(target, post(body, { accept: BOTH, "mcp-protocol-version": MODERN }));
      expect([status, error.error?.code]).toEqual([400, -32600]);
    });

    test("an answer goes by the Accept header: a client that only takes events gets an event", async () => {
      const target = await serve();
      const events = new Events(
        await target.send(call("echo", { text: "hi" }, { headers: { accept: "text/event-stream" } })),
      );
      const messages = await events.rest();
      expect(messages.map((message) => message.id)).toEqual([1]);
    });

    test("a client that only accepts JSON gets JSON, and no notifications", async () => {
      const target = await serve();
      const init = call("steps", {}, { headers: { accept: "application/json" }, meta: { progressToken: 1 } });
      const answer = await readJson(await target.send(init));
      expect(answer.result?.["content"]).toEqual([{ type: "text", text: "done" }]);
    });

    test("a client that accepts neither JSON nor events gets a 406", async () => {
      const target = await serve();
      const [status, error] = await refusal(target, call("echo", {}, { headers: { accept: "text/html" } }));
      expect([status, error.error?.code, error.id]).toEqual([406, -32600, 1]);
    });

    test('with responseMode "sse" even a lone answer is an event', async () => {
      const target = await serve({ responseMode: "sse" });
      expect((await new Events(await target.send(call("echo"))).rest()).map(({ id }) => id)).toEqual([1]);
      const plain = await target.send(call("echo", {}, { headers: { accept: "application/json" } }));
      expect((await readJson(plain)).id).toBe(1);
    });
  });

  describe("Receiving Messages", () => {
    test("servers SHOULD send X-Accel-Buffering: no with an event stream", async () => {
      const target = await serve();
      const response = await target.send(call("steps", {}, { meta: { progressToken: 1 } }));
      expect(response.headers.get("x-accel-buffering")).toBe("no");
      expect(response.headers.get("cache-control")).toContain("no-cache");
      await response.text();
    });

    test("the final response SHOULD end the stream", async () => {
      const target = await serve();
      const events = new Events(await target.send(call("chat", { count: 2 })));
      const messages = await events.rest();
      expect(messages).toHaveLength(3);
      expect(messages.at(-1)).toHaveProperty("result");
    });

    test("there MUST NOT be requests on the stream: what is asked of the client comes in the result", async () => {
      const target = await serve();
      const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
      const answer = await readJson(await target.send(call("ask", {}, { meta })));
      expect(answer.result?.["resultType"]).toBe("input_required");
    });

    test("streams are not resumable: events have no id, and Last-Event-ID is ignored", async () => {
      const target = await serve();
      const events = new Events(
        await target.send(call("chat", { count: 1 }, { headers: { "last-event-id": "p1-0" } })),
      );
      const event = await events.next();
      expect(event).toBeDefined();
      expect(event?.id).toBeUndefined();
      await events.rest();
    });

    test("notifications MUST relate to the request on whose stream they are", async () => {
      const target = await serve();
      const streams = await Promise.all(
        ["one", "two"].map(
          async (token) =>
            new Events(await target.send(call("steps", {}, { id: token, meta: { progressToken: token } }))),
        ),
      );
      for (const [index, token] of ["one", "two"].entries()) {
        const messages = (await streams[index]?.rest()) ?? [];
        expect(messages).toHaveLength(4);
        expect(messages.slice(0, 3).every(({ params }) => params?.["progressToken"] === token)).toBe(true);
        expect(messages[3]?.id).toBe(token);
      }
    });

    test("quiet streams are kept alive by comments", async () => {
      const target = await serve({ keepAliveInterval: 5 });
      const events = new Events(await target.send(call("wait", { chatty: true })));
      await events.until(": keep-alive\n\n");
      target.release();
      expect((await events.rest()).at(-1)).toHaveProperty("result");
    });
  });

  describe("subscriptions/listen", () => {
    const listen = (notifications: object, extra: Extra = {}): RequestInit =>
      modern("subscriptions/listen", { notifications }, extra);

    test("is answered with a stream that stays open: the acknowledgement MUST come first, then what was asked for", async () => {
      const target = await serve();
      const events = new Events(await target.send(listen({ toolsListChanged: true }, { id: 7 })));
      const first = await events.message();
      expect(first?.method).toBe("notifications/subscriptions/acknowledged");
      expect(first?.params?.["_meta"]).toEqual({ "io.modelcontextprotocol/subscriptionId": 7 });
      target.server.tools.remove("who");
      const second = await events.message();
      expect(second?.method).toBe("notifications/tools/list_changed");
      expect(second?.params?.["_meta"]).toEqual({ "io.modelcontextprotocol/subscriptionId": 7 });
      await events.cancel();
    });

    test("takes clients without an Accept header, but not those that rule events out", async () => {
      const target = await serve();
      const events = new Events(
        await target.send(listen({ toolsListChanged: true }, { headers: { accept: undefined } })),
      );
      expect((await events.message())?.method).toBe("notifications/subscriptions/acknowledged");
      await events.cancel();
      const [status] = await refusal(target, listen({}, { headers: { accept: "application/json" } }));
      expect(status).toBe(406);
    });

    test("a server that goes away SHOULD answer it before it ends the stream", async () => {
      const target = await serve();
      const events = new Events(await target.send(listen({ toolsListChanged: true }, { id: "sub" })));
      await events.message();
      const closing = target.close();
      const last = (await events.rest()).at(-1);
      expect(last?.id).toBe("sub");
      expect(last?.result?.["_meta"]).toMatchObject({ "io.modelcontextprotocol/subscriptionId": "sub" });
      await closing;
    });

    test("messages of other requests MUST NOT be delivered on it", async () => {
      const target = await serve();
      const meta = { "io.modelcontextprotocol/logLevel": "debug", progressToken: 5 };
      const events = new Events(await target.send(listen({ toolsListChanged: true }, { meta })));
      await events.message();
      expect(await new Events(await target.send(call("chat", { count: 2 }))).rest()).toHaveLength(3);
      const reporting = await target.send(call("steps", {}, { meta: { progressToken: 5 } }));
      expect(await new Events(reporting).rest()).toHaveLength(4);
      target.server.tools.remove("who");
      expect((await events.message())?.method).toBe("notifications/tools/list_changed");
      await events.cancel();
    });

    test("many subscriptions at once are all told", async () => {
      const target = await serve();
      const open = await Promise.all(
        Array.from(
          { length: 150 },
          async (_, id) => new Events(await target.send(listen({ toolsListChanged: true }, { id }))),
        ),
      );
      for (const events of open) await events.message();
      target.server.tools.remove("who");
      for (const [id, events] of open.entries()) {
        const told = await events.message();
        expect(told?.params?.["_meta"]).toEqual({ "io.modelcontextprotocol/subscriptionId": id });
        await events.cancel();
      }
    });
  });

  describe("Cancellation", () => {
    test("closing the event stream MUST be treated as cancellation", async () => {
      const target = await serve();
      const events = new Events(await target.send(call("wait", { chatty: true })));
      await events.message();
      await events.cancel();
      expect(await target.wasCancelled).toBeInstanceOf(DOMException);
      expect(target.cancelled).toEqual(["wait"]);
    });

    test("closing the stream of a subscription ends it", async () => {
      const ended = deferred<string>();
      const onDiagnostic = ({ message }: ServerDiagnostic): void => ended.resolve(message);
      const target = await serve({}, createFixture({ onDiagnostic }));
      const events = new Events(await target.send(modern("subscriptions/listen", { notifications: {} })));
      await events.message();
      await events.cancel();
      expect(await ended.promise).toContain("subscriptions/listen was cancelled");
    });

    test("a client that leaves before anything was sent has cancelled as well", async () => {
      const target = await serve();
      const leaving = new AbortController();
      const answer = target.send(call("wait", {}, { signal: leaving.signal })).catch((error: unknown) => error);
      await target.began("wait");
      leaving.abort();
      expect(await target.wasCancelled).toBeInstanceOf(DOMException);
      await answer;
    });
  });

  describe("Request Metadata", () => {
    test("MCP-Protocol-Version MUST be there", async () => {
      const target = await serve();
      const init = modern("tools/list", {}, { id: 9, headers: { "mcp-protocol-version": undefined } });
      const [status, error] = await refusal(target, init);
      expect([status, error.error?.code, error.id]).toEqual([400, -32020, 9]);
    });

    test("MCP-Protocol-Version MUST match the body", async () => {
      const target = await serve();
      const meta = { "io.modelcontextprotocol/protocolVersion": "v999.0.0" };
      const [status, error] = await refusal(target, modern("server/discover", {}, { meta }));
      expect([status, error.error?.code, error.id]).toEqual([400, -32020, 1]);
    });

    test("a version that is not implemented MUST get a 400 that lists those that are", async () => {
      const target = await serve();
      const init = modern(
        "server/discover",
        {},
        {
          meta: { "io.modelcontextprotocol/protocolVersion": "v999.0.0" },
          headers: { "mcp-protocol-version": "v999.0.0" },
        },
      );
      const [status, error] = await refusal(target, init);
      expect([status, error.error?.code, error.id]).toEqual([400, -32022, 1]);
      expect(error.error?.data).toMatchObject({ requested: "v999.0.0" });
      expect(error.error?.data?.["supported"]).toContain(MODERN);
    });

    test("a known version that the server has chosen not to support MUST get a 400 that lists those that it supports", async () => {
      const target = await serve({}, createFixture({ revisions: ["2025-11-25"] }));
      const [status, error] = await refusal(target, modern("tools/list"));
      expect([status, error.error?.code]).toEqual([400, -32022]);
      expect(error.error?.data).toEqual({ requested: MODERN, supported: ["2025-11-25"] });
    });

    test("a method that is not implemented MUST get a 404 with -32601", async () => {
      const target = await serve();
      for (const method of [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "unknown/method",
        "constructor",
      ]) {
        const [status, error] = await refusal(target, modern(method, {}, { id: method }));
        expect([status, error.error?.code, error.id]).toEqual([404, -32601, method]);
      }
    });

    test.each([
      ["no _meta", {}],
      ["no version", { "io.modelcontextprotocol/clientCapabilities": {} }],
      ["no capabilities", { "io.modelcontextprotocol/protocolVersion": MODERN }],
    ])("a request with %s MUST get a 400 with -32602", async (_name, _meta) => {
      const target = await serve();
      const message = { jsonrpc: "2.0", id: 5, method: "server/discover", params: { _meta } };
      const headers = { accept: BOTH, "mcp-protocol-version": MODERN, "mcp-method": "server/discover" };
      const [status, error] = await refusal(target, post(message, headers));
      expect([status, error.error?.code, error.id]).toEqual([400, -32602, 5]);
    });

    test("the version header alone makes a request modern, so it is not served as anything else", async () => {
      const target = await serve();
      const message = { jsonrpc: "2.0", id: 5, method: "tools/list", params: {} };
      const [status, error] = await refusal(target, post(message, { accept: BOTH, "mcp-protocol-version": MODERN }));
      expect([status, error.error?.code]).toEqual([400, -32602]);
    });

    test("clientInfo is optional", async () => {
      const target = await serve();
      const meta = { "io.modelcontextprotocol/clientInfo": undefined };
      expect((await target.send(modern("server/discover", {}, { meta }))).status).toBe(200);
    });

    test("a capability that the client has not declared MUST get a 400 with -32021", async () => {
      const target = await serve();
      const [status, error] = await refusal(target, call("ask"));
      expect([status, error.error?.code, error.id]).toEqual([400, -32021, 1]);
      expect(error.error?.data?.["requiredCapabilities"]).toHaveProperty("elicitation");
    });

    test("errors of the method itself are answers like any other: 200", async () => {
      const target = await serve();
      const [status, error] = await refusal(target, call("unknown_tool"));
      expect([status, error.error?.code]).toEqual([200, -32602]);
    });
  });

  describe("Standard Request Headers and Server Validation", () => {
    test.each([
      ["missing", undefined],
      ["wrong", "tools/call"],
      ["of another case", "TOOLS/LIST"],
    ])("Mcp-Method %s MUST get a 400 with -32020", async (_name, value) => {
      const target = await serve();
      const [status, error] = await refusal(
        target,
        modern("tools/list", {}, { id: 3, headers: { "mcp-method": value } }),
      );
      expect([status, error.error?.code, error.id]).toEqual([400, -32020, 3]);
    });

    test.each([
      ["missing", undefined],
      ["wrong", "later"],
      ["of another case", "ECHO"],
      ["malformed", "=?base64?ZWNobw?="],
    ])("Mcp-Name %s MUST get a 400 with -32020", async (_name, value) => {
      const target = await serve();
      const [status, error] = await refusal(target, call("echo", {}, { headers: { "mcp-name": value } }));
      expect([status, error.error?.code]).toEqual([400, -32020]);
    });

    test.each(["=?base64?ZWNobw?=", "=?base64?/w==?=", "\u00e9cho"])(
      "a client is told that Mcp-Name %s is badly encoded",
      async (value) => {
        const target = await serve();
        const [, error] = await refusal(target, call("echo", {}, { headers: { "mcp-name": value } }));
        expect(error.error?.message).toContain("malformed value");
        const [, differs] = await refusal(target, call("echo", {}, { headers: { "mcp-name": "later" } }));
        expect(differs.error?.message).not.toContain("malformed");
      },
    );

    test("a header for an argument deeper than any stack gets a 400 with -32020, too", async () => {
      const target = await serve();
      const init = call("region", { region: "deep" }, { headers: { "mcp-param-region": "deep" } });
      const body = (init.body as string).replace(
        '"region":"deep"',
        `"region":${"[".repeat(400_000)}${"]".repeat(400_000)}`,
      );
      const [status, error] = await refusal(target, { ...init, body });
      expect([status, error.error?.code]).toEqual([400, -32020]);
    });

    test("Mcp-Name repeats the uri of resources/read and the name of prompts/get", async () => {
      const target = await serve();
      for (const [method, params] of [
        ["resources/read", { uri: "x://y" }],
        ["prompts/get", { name: "y" }],
      ] as const) {
        const [status, error] = await refusal(target, modern(method, params, { headers: { "mcp-name": "other" } }));
        expect([status, error.error?.code]).toEqual([400, -32020]);
        // With the right header it is the method that answers.
        expect((await target.send(modern(method, params))).status).not.toBe(400);
      }
    });

    test("an encoded Mcp-Name MUST be decoded before it is compared", async () => {
      const target = await serve();
      const init = call("echo", { text: "hi" }, { headers: { "mcp-name": "=?base64?ZWNobw==?=" } });
      expect((await target.send(init)).status).toBe(200);
    });

    test("header names are case-insensitive, and space around values does not count", async () => {
      const target = await serve();
      const init = modern("tools/list", {}, { headers: { "mcp-method": undefined, "MCP-METHOD": " tools/list " } });
      expect((await target.send(init)).status).toBe(200);
    });

    test("a name that is no string is for the method to refuse", async () => {
      const target = await serve();
      const init = modern("tools/call", { name: 5 });
      const [status, error] = await refusal(target, init);
      expect([status, error.error?.code]).toEqual([200, -32602]);
    });
  });

  describe("Custom Headers from Tool Parameters", () => {
    const region = (args: object, headers: Record<string, string>): RequestInit => call("region", args, { headers });

    test.each([
      ["that matches", { region: "us" }, { "mcp-param-region": "us" }, 200],
      ["that matches once decoded", { region: "Hello" }, { "Mcp-Param-Region": "=?base64?SGVsbG8=?=" }, 200],
      ["whose integer is the same number", { size: 42 }, { "mcp-param-size": "42.0" }, 200],
      [
        "that lacks the suffix, so is literal",
        { region: "=?base64?SGVsbG8=" },
        { "mcp-param-region": "=?base64?SGVsbG8=" },
        200,
      ],
      ["that is not recognized", {}, { "mcp-param-other": "x" }, 200],
      ["that does not match", { region: "us" }, { "mcp-param-region": "eu" }, 400],
      ["that is missing", { region: "us" }, {}, 400],
      ["with bad padding", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }, 400],
      ["with a bad alphabet", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }, 400],
      ["with invalid characters", { region: "\u00e9" }, { "mcp-param-region": "\u00e9" }, 400],
      ["whose argument is absent", {}, { "mcp-param-region": "us" }, 400],
      ["that is absent like its argument", {}, {}, 200],
      ["that is absent because its argument is null", { region: null }, {}, 200],
    ])("a header %s", async (_name, args, headers, expected) => {
      const target = await serve();
      const response = await target.send(region(args, headers as Record<string, string>));
      expect(response.status).toBe(expected);
      const answer = await readJson(response);
      if (expected === 400) expect(answer.error?.code).toBe(-32020);
    });
  });

  describe("Backward Compatibility", () => {
    test.each(["GET", "DELETE", "PUT", "PATCH"])("%s without a session SHOULD get a 405", async (method) => {
      const target = await serve();
      const response = await target.send({ method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
    });

    test("Mcp-Session-Id on a modern request SHOULD be ignored, and none be minted", async () => {
      const target = await serve();
      const response = await target.send(call("echo", {}, { headers: { "mcp-session-id": "unknown" } }));
      expect(response.status).toBe(200);
      expect(response.headers.has("mcp-session-id")).toBe(false);
    });

    test("without legacy revisions, initialize SHOULD get an error that names the versions", async () => {
      const target = await serve({}, createFixture({ revisions: [MODERN] }));
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      };
      for (const version of [undefined, "2025-11-25", MODERN]) {
        const headers = { accept: BOTH, "mcp-protocol-version": version, "mcp-session-id": "old" };
        const [status, error] = await refusal(target, post(message, headers));
        expect([status, error.id]).toEqual([400, 1]);
        expect(error.error?.message).toContain(MODERN);
      }
    });

    test.each([
      ["only this revision", [MODERN]],
      ["no revision before 2025-06-18", [MODERN, "2025-11-25", "2025-06-18"]],
    ] as [string, Revision[]][])(
      "with %s, a request without MCP-Protocol-Version MUST be refused",
      async (_what, revisions) => {
        const target = await serve({}, createFixture({ revisions }));
        const message = { jsonrpc: "2.0", id: 4, method: "tools/list", params: {} };
        const [status, error] = await refusal(target, post(message, { accept: BOTH }));
        expect([status, error.error?.code, error.id]).toEqual([400, -32020, 4]);
      },
    );

    test("with only this revision, GET and DELETE SHOULD get a 405, and sessions and batches mean nothing", async () => {
      const target = await serve({}, createFixture({ revisions: [MODERN] }));
      const headers = { accept: "text/event-stream", "mcp-session-id": "old", "last-event-id": "p1-1" };
      for (const method of ["GET", "DELETE"]) {
        expect((await target.send({ method, headers })).status).toBe(405);
      }
      const response = await target.send(call("echo", {}, { headers: { "mcp-session-id": "old" } }));
      expect([response.status, response.headers.has("mcp-session-id")]).toEqual([200, false]);
      const batch = [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }];
      expect((await target.send(post(batch, { accept: BOTH }))).status).toBe(400);
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["DEFLATE, gzip", (text: string) => gzipSync(deflateSync(text))],
    ["x-own", (text: string) => Buffer.from(`!${text}`)],
  ])("a body that is encoded as %s gets a 415 that says so, and what is accepted", async (encoding, encode) => {
    const target = await serve();
    const init = modern("tools/list", {}, { headers: { "content-encoding": encoding } });
    const response = await target.send({ ...init, body: encode(init.body) });
    expect(response.status).toBe(415);
    expect(response.headers.get("accept-encoding")).toBe("identity");
    const { error } = await readJson(response);
    expect(error?.message).toContain(encoding);
    expect(error?.message).toContain("without `Content-Encoding`");
  });

  test("a body that is not encoded may say so, and one that was decoded on the way is taken", async () => {
    const target = await serve();
    for (const encoding of ["identity", "gzip"]) {
      const response = await target.send(modern("tools/list", {}, { headers: { "content-encoding": encoding } }));
      expect(response.status).toBe(200);
      await response.text();
    }
    const broken = await target.send({
      ...modern("tools/list", {}, { headers: { "content-encoding": "identity" } }),
      body: "{",
    });
    expect(broken.status).toBe(400);
  });

  test("a body that is not JSON gets a 400 with -32700 and no id", async () => {
    const target = await serve();
    const [status, error] = await refusal(target, post('{"jsonrpc":"2.0","id":1,', { accept: BOTH }));
    expect([status, error.error?.code]).toEqual([400, -32700]);
    expect(error).not.toHaveProperty("id");
  });

  test("JSON that is no message gets a 400 with -32600, and its id if it has one", async () => {
    const target = await serve();
    const [status, error] = await refusal(target, post({ jsonrpc: "1.0", id: "x", method: "ping" }, { accept: BOTH }));
    expect([status, error.error?.code, error.id]).toEqual([400, -32600, "x"]);
  });

  test.each(["text/plain", undefined, "application/json; charset=utf-16"])(
    "Content-Type %s gets a 415",
    async (type) => {
      const target = await serve();
      const response = await target.send({ ...modern("tools/list", {}, { headers: { "content-type": type } }) });
      expect(response.status).toBe(415);
      expect((await readJson(response)).error?.message).toContain("application/json");
    },
  );

  test("another path gets a 404", async () => {
    const target = await serve();
    for (const path of ["/other", "/mcp/other", "/mcp//", "/"]) {
      const response = await target.send({ ...modern("tools/list"), path });
      expect(response.status).toBe(404);
      await response.text();
    }
  });

  test("a slash behind the path makes no difference, as some clients put one there", async () => {
    const target = await serve();
    const response = await target.send({ ...modern("tools/list"), path: "/mcp/?key=value" });
    expect((await readJson(response)).result).toBeDefined();
  });

  test("handlers can read request headers", async () => {
    const target = await serve();
    const answer = await readJson(await target.send(call("header", {}, { headers: { "x-trace": "abc" } })));
    expect(answer.result?.["content"]).toEqual([{ type: "text", text: "abc" }]);
  });
});
