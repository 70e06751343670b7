/** Middleware works without knowing anything private of the server. */
import { describe, expect, test } from "vitest";
import {
  type AbortListener,
  createServer,
  prompt,
  resource,
  tool,
  type RequestCall,
  type ServerMiddleware,
} from "../../src/index.ts";
import { LegacyClient, ModernClient, type Json } from "../wire-client.ts";

function define(middleware: ServerMiddleware[], unknownTool?: "error" | "result") {
  return createServer({
    name: "m",
    version: "1",
    middleware,
    unknownTool,
    pageSize: 2,
    tools: {
      a: tool({ run: () => "a" }),
      _b: tool({ run: () => "b" }),
      _c: tool({ run: () => "c" }),
      d: tool({ run: () => "d" }),
    },
    resources: {
      fixed: resource({ uri: "x://fixed", read: () => "" }),
      family: resource({ template: "x://{id}", complete: { id: () => [] }, read: () => "" }),
    },
    prompts: { p: prompt({ arguments: { q: { complete: () => [] } }, get: () => "" }) },
  });
}

/** Hides tools whose names begin with an underscore. */
const hideInternal: ServerMiddleware = (call, next) => {
  if (call.tool?.name.startsWith("_") === true) return call.refuseAsUnknown();
  if (call.method === "tools/list") call.showOnly((item) => !(item as { name: string }).name.startsWith("_"));
  return next();
};

/** The outcome of a request: its result, or its error without the parts that name the request. */
async function outcome(client: ModernClient, method: string, params: object): Promise<Json> {
  return client.request(method, params).catch(({ code, message, data }: Json) => ({ code, message, data }));
}

describe("a call in middleware", () => {
  test("can show a part of a list, whose pages are filled with that part", async () => {
    for (const client of [new ModernClient(define([hideInternal])), await LegacyClient.open(define([hideInternal]))]) {
      const { tools, nextCursor } = await client.request("tools/list");
      expect(tools.map(({ name }: Json) => name)).toEqual(["a", "d"]);
      expect(nextCursor).toBeUndefined();
    }
  });

  test("shows what all functions agree on, if several layers hide something", async () => {
    const hideLast: ServerMiddleware = (call, next) => {
      if (call.method === "tools/list") call.showOnly(async (item) => (item as { name: string }).name !== "d");
      return next();
    };
    const client = new ModernClient(define([hideInternal, hideLast]));
    expect((await client.request("tools/list")).tools).toMatchObject([{ name: "a" }]);
  });

  const argument = { name: "q", value: "" };
  test.each([
    ["tools/call", { name: "a" }, { name: "other" }],
    ["prompts/get", { name: "p" }, { name: "other" }],
    ["resources/read", { uri: "x://fixed" }, { uri: "other://fixed" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument },
      { ref: { type: "ref/prompt", name: "other" }, argument },
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "x://{id}" }, argument },
      { ref: { type: "ref/resource", uri: "x://{other}" }, argument },
    ],
  ])("can be refused as if there were nothing of that name: %s %j", async (method, known, unknown) => {
    const refusing = new ModernClient(define([(call) => call.refuseAsUnknown()]));
    const refused = await outcome(refusing, method, unknown);
    expect(refused.code).toBe(-32602);
    expect(refused).toEqual(await outcome(new ModernClient(define([])), method, unknown));
    expect((await outcome(refusing, method, known)).code).toBe(-32602);
  });

  test("is refused with a result that the model reads, if the server answers unknown tools so", async () => {
    const client = new ModernClient(define([hideInternal], "result"));
    expect(await client.request("tools/call", { name: "_b" })).toMatchObject({
      isError: true,
      content: [{ text: "Unknown tool: _b" }],
    });
  });

  test("finds resources by what they are, however the caller wrote the URI", async () => {
    const found: unknown[] = [];
    const look: ServerMiddleware = (call, next) => {
      found.push(call.findResource("x://fixed"), call.findResource("x://s%65cret"), call.findResource("z://other"));
      found.push(call.findTemplate("x://{id}"), call.findTemplate("x://{other}"));
      return next();
    };
    await new ModernClient(define([look])).request("tools/list");
    expect(found).toEqual([
      { name: "fixed", uri: "x://fixed", values: undefined },
      { name: "family", uri: "x://secret", values: { id: "secret" } },
      undefined,
      "family",
      undefined,
    ]);
  });

  test("knows whether its request is over, and whether the client has cancelled it", async () => {
    let kept: RequestCall | undefined;
    const keep: ServerMiddleware = (call, next) => {
      kept = call;
      expect([call.isOver, call.isCancelled]).toEqual([false, false]);
      return next();
    };
    await new ModernClient(define([keep])).request("tools/call", { name: "a" });
    expect([kept?.isOver, kept?.isCancelled]).toEqual([true, false]);
  });

  test("tells its listeners that it was aborted: those that came before and after, and not those that have left", async () => {
    const told: string[] = [];
    const listen = (name: string): AbortListener => ({ aborted: (reason) => told.push(`${name}: ${String(reason)}`) });
    const diagnostics: string[] = [];
    const failing: AbortListener = {
      aborted() {
        throw new Error("a listener's own mistake");
      },
    };
    const stop: ServerMiddleware = async (call, next) => {
      const gone = listen("gone");
      for (const listener of [failing, listen("first"), gone]) call.onAbort(listener);
      call.offAbort(gone);
      call.offAbort(listen("never there"));
      call.abort("enough");
      call.abort("again");
      call.onAbort(listen("late"));
      return next().catch(() => ({ content: [] }));
    };
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [stop],
      tools: { a: tool({ run: () => "a" }) },
      onDiagnostic: ({ message }) => diagnostics.push(message),
    });
    await new ModernClient(server).request("tools/call", { name: "a" });
    expect(told).toEqual(["first: enough", "late: enough"]);
    expect(diagnostics).toContain("A listener of an abort failed.");
  });
});
