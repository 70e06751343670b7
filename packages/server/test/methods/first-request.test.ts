/**
 * Much of a server is loaded when it is first needed, which must not show: the first request of a process gets the same
 * answer as those after it, whatever goes around it. Each case begins with nothing loaded.
 */
import { describe, expect, test, vi } from "vitest";
import type * as serverModule from "../../src/index.ts";
import type { Middleware } from "../../src/index.ts";
import { BOTH, initialize, modern, post } from "../bindings/http/client.ts";

type Module = typeof serverModule;

/** What goes around requests and lets everything through. */
const AROUND: { readonly [name: string]: (module: Module) => Middleware[] } = {
  nothing: () => [],
  "a function that passes on": () => [(_call, next) => next()],
  "a function that copies": () => [async (_call, next) => ({ ...(await next()) })],
  accessControl: ({ accessControl }) => [accessControl(() => true)],
  auditLog: ({ auditLog }) => [auditLog(() => {})],
  rateLimit: ({ rateLimit }) => [rateLimit({ limit: 100 })],
  sanitizeOutput: ({ sanitizeOutput }) => [sanitizeOutput()],
  timeLimit: ({ timeLimit }) => [timeLimit({ timeout: 10_000 })],
};

const REQUESTS: [method: string, params: Record<string, unknown>, member: "result" | "error"][] = [
  ["tools/list", {}, "result"],
  ["tools/call", { name: "greet", arguments: { name: "Ada" } }, "result"],
  ["tools/call", { name: "greet", arguments: { nobody: 1 } }, "result"],
  ["tools/call", { name: "sum", arguments: { a: 1, b: 2 } }, "result"],
  ["tools/call", { name: "date", arguments: {} }, "result"],
  ["tools/call", { name: "nobody" }, "error"],
  ["resources/list", {}, "result"],
  ["resources/templates/list", {}, "result"],
  ["resources/read", { uri: "notes://open" }, "result"],
  ["resources/read", { uri: "notes://page/7" }, "result"],
  ["resources/read", { uri: "notes://nowhere" }, "error"],
  ["prompts/list", {}, "result"],
  ["prompts/get", { name: "ask", arguments: { about: "tea" } }, "result"],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "ask" }, argument: { name: "about", value: "t" } },
    "result",
  ],
  ["nothing/known", {}, "error"],
];

async function start(around: (module: Module) => Middleware[]) {
  const module = await import("../../src/index.ts");
  const { createHttpHandler } = await import("../../src/bindings/http/index.ts");
  const { createServer, tool, resource, prompt } = module;
  const names = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
  const { fetch, close } = createHttpHandler(
    createServer({
      name: "notes",
      version: "1.0.0",
      onDiagnostic: () => {},
      middleware: around(module),
      tools: {
        greet: tool({ input: names, run: ({ name }) => `Hello, ${String(name)}` }),
        sum: tool({
          input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
          output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
          run: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
        }),
        // What JSON makes of it is something else.
        date: tool({
          output: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
          run: () => ({ at: "2026-07-28", left: undefined }),
        }),
      },
      resources: {
        open: resource({ uri: "notes://open", read: () => "Read me." }),
        page: resource({ template: "notes://page/{number}", read: ({ number }) => `Page ${number}` }),
      },
      prompts: {
        ask: prompt({
          arguments: { about: { complete: () => ["tea", "toast"] } },
          get: ({ about }) => `Tell me about ${about}.`,
        }),
      },
    }),
  );
  return { send: (init: RequestInit) => fetch(new Request("http://localhost/mcp", init)), close };
}

type Send = (init: RequestInit) => Promise<Response>;
type Ask = (method: string, params: Record<string, unknown>) => RequestInit;

/** How clients come to ask. */
const ERAS: { readonly [era: string]: (send: Send) => Promise<Ask> } = {
  modern: async () => modern,
  plain: async () => (method, params) => post({ jsonrpc: "2.0", id: 1, method, params }),
  async legacy(send) {
    const { headers } = await send(post(initialize("2025-06-18"), { accept: BOTH }));
    const session = { accept: BOTH, "mcp-session-id": headers.get("mcp-session-id") ?? "" };
    await send(post({ jsonrpc: "2.0", method: "notifications/initialized" }, session));
    return (method, params) => post({ jsonrpc: "2.0", id: 1, method, params }, session);
  },
};

describe.each(Object.entries(ERAS))("the first %s request", (_era, meet) => {
  test.each(REQUESTS)("%s %j is answered as the second, whatever goes around it", async (method, params, member) => {
    const answers: Record<string, unknown> = {};
    for (const [name, around] of Object.entries(AROUND)) {
      vi.resetModules();
      const { send, close } = await start(around);
      const ask = await meet(send);
      for (const time of ["first", "second"]) {
        answers[`${time}, around it ${name}`] = await (await send(ask(method, params))).json();
      }
      await close();
    }
    const [expected] = Object.values(answers);
    expect(expected).toMatchObject({ id: 1, [member]: expect.anything() as unknown });
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, expected])));
  });
});
