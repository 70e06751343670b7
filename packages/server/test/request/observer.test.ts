/** What an observer of a server gets to see, whichever way a request ends. */
import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, RpcError, UsageError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createServer,
  prompt,
  resource,
  timeLimit,
  tool,
  ToolError,
  type ObservedRequest,
  type RequestOutcome,
  type ServerDiagnostic,
  type ServerObserver,
  type ServerOptions,
} from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { LegacyClient, ModernClient, type Json } from "../wire-client.ts";

interface Seen {
  readonly request: ObservedRequest;
  readonly ends: RequestOutcome[];
  acknowledged: number;
}

const place = new AsyncLocalStorage<string>();

/** An observer that keeps all that it is told. */
function keeper() {
  const seen: Seen[] = [];
  const refusals: object[] = [];
  const notifications: string[] = [];
  const questions: Json[] = [];
  const sessions: Json[] = [];
  const observer: ServerObserver = {
    request(request) {
      const entry: Seen = { request, ends: [], acknowledged: 0 };
      seen.push(entry);
      return {
        run: (work) => place.run(`observed ${request.method}`, work),
        acknowledged: () => void entry.acknowledged++,
        end: (outcome) => void entry.ends.push(outcome),
      };
    },
    refusal: (refusal) => void refusals.push(refusal),
    notification: ({ method }) => void notifications.push(method),
    question({ method, params }) {
      const entry: Json = { method, params };
      questions.push(entry);
      return {
        meta: { traceparent: "00-1-2-01" },
        sent: (id) => (entry.id = id),
        end: (outcome) => (entry.end = outcome),
      };
    },
    session({ revision }) {
      const entry: Json = { revision, ends: 0 };
      sessions.push(entry);
      return { end: () => entry.ends++ };
    },
  };
  return { observer, seen, refusals, notifications, questions, sessions };
}

const diagnostics: ServerDiagnostic[] = [];

function define(observe: ServerObserver, more: Partial<ServerOptions> = {}) {
  return createServer({
    name: "observed",
    version: "1",
    observe,
    onDiagnostic: (event) => void diagnostics.push(event),
    tools: {
      where: tool({ run: async () => (await Promise.resolve(), place.getStore() ?? "nowhere") }),
      fail: tool({
        run() {
          throw new ToolError("no luck");
        },
      }),
      refuse: tool({
        run() {
          throw new RpcError(1050, "not today");
        },
      }),
      crash: tool({
        run() {
          throw new Error("the password is hunter2");
        },
      }),
      hang: tool({
        run: (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve(""))),
      }),
      ask: tool({ run: async (_, ctx) => `${(await ctx.roots()).length} roots` }),
      cyclic: tool({
        output: { type: "object" } as never,
        run() {
          throw new RpcError(1051, "with data", {
            data: {
              toJSON: () => {
                throw new Error("not JSON");
              },
            },
          });
        },
      }),
    },
    prompts: { greet: prompt({ get: () => "hello" }) },
    resources: {
      fixed: resource({ uri: "x://fixed", read: () => "" }),
      family: resource({ template: "x://{id}/secret", read: () => "" }),
    },
    ...more,
  });
}

describe("an observer of a server", () => {
  test("sees each request with the name that is defined, and how it ended", async () => {
    const { observer, seen } = keeper();
    const client = new ModernClient(define(observer));
    const ask = (method: string, params: object = {}) => client.request(method, params).catch((error: Json) => error);
    await ask("tools/call", { name: "where" });
    await ask("tools/call", { name: "fail" });
    await ask("tools/call", { name: "refuse" });
    await ask("tools/call", { name: "crash" });
    await ask("tools/call", { name: "made-up" });
    await ask("prompts/get", { name: "greet" });
    await ask("prompts/get", { name: "made-up" });
    await ask("resources/read", { uri: "x://fixed" });
    await ask("resources/read", { uri: "x://ada/secret" });
    await ask("made/up");
    await ask("tools/list");
    const told = seen.map(
      ({ request: { method, tool: name, prompt: asked, resource: found, isRouted }, ends: [end] }) => [
        method,
        name ?? asked ?? found?.name,
        isRouted,
        end?.kind === "error" ? end.error.code : end?.kind,
      ],
    );
    expect(told).toEqual([
      ["tools/call", "where", true, "result"],
      ["tools/call", "fail", true, "result"],
      ["tools/call", "refuse", true, 1050],
      ["tools/call", "crash", true, "result"],
      ["tools/call", undefined, true, ErrorCode.InvalidParams],
      ["prompts/get", "greet", true, "result"],
      ["prompts/get", undefined, true, ErrorCode.InvalidParams],
      ["resources/read", "fixed", true, "result"],
      ["resources/read", "family", true, "result"],
      ["made/up", undefined, false, ErrorCode.MethodNotFound],
      ["tools/list", undefined, true, "result"],
    ]);
    expect(seen.every(({ ends }) => ends.length === 1)).toBe(true);
    const [, failed] = seen;
    expect(failed?.ends[0]).toMatchObject({ result: { isError: true, content: [{ text: "no luck" }] } });
    const listed = seen.at(-1)?.ends[0] as Json;
    expect(listed.result.tools.map(({ name }: Json) => name)).toContain("where");
  });

  test("gets the error as the caller gets it, also if its data is not JSON", async () => {
    const { observer, seen } = keeper();
    const client = new ModernClient(define(observer));
    await expect(client.request("tools/call", { name: "cyclic" })).rejects.toMatchObject({ code: 1051 });
    expect(seen[0]?.ends).toMatchObject([{ kind: "error", error: { code: 1051, message: "with data" } }]);
    const result = await client.request("tools/call", { name: "crash" });
    expect(JSON.stringify(seen[1]?.ends[0])).not.toContain("hunter2");
    expect(seen[1]?.ends[0]).toMatchObject({ result: { content: result.content } });
  });

  test("runs the handler in its own context", async () => {
    const { observer } = keeper();
    const client = new ModernClient(define(observer));
    expect((await client.request("tools/call", { name: "where" })).content).toMatchObject([
      { text: "observed tools/call" },
    ]);
  });

  test("hears of a cancellation once, although the handler answers later", async () => {
    const { observer, seen } = keeper();
    const client = new ModernClient(define(observer));
    const { id } = client.start("tools/call", { name: "hang" });
    await expect.poll(() => seen.length).toBe(1);
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("tools/list", {});
    expect(seen[0]?.ends).toEqual([{ kind: "cancelled", isTimedOut: false }]);
  });

  test("learns that a time limit has stopped a tool", async () => {
    const { observer, seen } = keeper();
    const client = new ModernClient(define(observer, { middleware: [timeLimit({ timeout: 1 })] }));
    await client.request("tools/call", { name: "hang" });
    expect(seen[0]?.ends).toMatchObject([{ kind: "result", isTimedOut: true, result: { isError: true } }]);
  });

  test("sees that a subscription was acknowledged, and later its end", async () => {
    const { observer, seen } = keeper();
    const server = define(observer);
    const client = new ModernClient(server);
    const { id } = client.start("subscriptions/listen", {
      notifications: { toolsListChanged: true },
    });
    await expect.poll(() => seen[0]?.acknowledged).toBe(1);
    expect(seen[0]?.ends).toEqual([]);
    client.notify("notifications/cancelled", { requestId: id });
    await expect.poll(() => seen[0]?.ends.length).toBe(1);
  });

  test("sees questions to a legacy client with their answers, and can add to their meta", async () => {
    const { observer, questions, notifications, sessions } = keeper();
    const client = await LegacyClient.open(define(observer), { capabilities: { roots: {} } } as never);
    const asked: Json[] = [];
    client.answer = (request) => {
      asked.push(request);
      return { roots: [{ uri: "file:///a" }] };
    };
    const { content } = await client.request("tools/call", { name: "ask" });
    expect(content).toMatchObject([{ text: "1 roots" }]);
    expect(asked[0].params).toEqual({ _meta: { traceparent: "00-1-2-01" } });
    expect(questions).toMatchObject([{ method: "roots/list", id: asked[0].id, end: { result: { roots: [{}] } } }]);
    expect(notifications).toEqual(["notifications/initialized"]);
    client.answer = () => {
      throw new RpcError(-32_603, "no");
    };
    await client.request("tools/call", { name: "ask" });
    expect(questions[1].end.error).toMatchObject({ code: -32_603 });
    expect(sessions).toMatchObject([{ revision: client.revision, ends: 0 }]);
    await client.disconnect();
    await expect.poll(() => sessions[0].ends).toBe(1);
  });

  test("sees what HTTP refuses, and each refusal once", async () => {
    const { observer, refusals, seen } = keeper();
    const served = await serveHttp(define(observer), {
      port: 0,
      authenticate: ({ header }) => (header("authorization") === "Bearer good" ? { id: "ada" } : undefined),
    });
    onTestFinished(() => served.close());
    const post = async (body: unknown, token = "good") => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      };
      await (await fetch(served.url, { method: "POST", headers, body: JSON.stringify(body) })).text();
    };
    await post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, "bad");
    await post([1, 2]);
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } });
    await fetch(served.url, { headers: { accept: "text/html" } });
    expect(refusals).toMatchObject([
      { binding: "http", status: 401 },
      { binding: "http", status: 400 },
      { binding: "http", code: ErrorCode.InvalidParams },
      { binding: "http", status: 401 },
    ]);
    expect(seen).toEqual([]);
  });

  test("costs no request anything if it fails, and its failures are reported", async () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const failing: ServerObserver = {
      request: () => ({ run: boom, end: boom, acknowledged: boom }),
      notification: boom,
      session: boom,
      question: boom,
      refusal: boom,
    };
    diagnostics.length = 0;
    const client = await LegacyClient.open(define(failing));
    expect((await client.request("tools/call", { name: "where" })).content).toMatchObject([{ text: "nowhere" }]);
    expect(diagnostics.map(({ error }) => (error as Error).message)).toContain("boom");
  });

  test("runs a handler once, even if it calls the work twice", async () => {
    let runs = 0;
    const twice: ServerObserver = {
      request: () => ({
        run(work) {
          work();
          work();
        },
        end() {},
      }),
    };
    const server = createServer({
      name: "twice",
      version: "1",
      observe: twice,
      tools: { count: tool({ run: () => `${++runs}` }) },
    });
    const { content } = await new ModernClient(server).request("tools/call", { name: "count" });
    expect(content).toMatchObject([{ text: "1" }]);
    expect(runs).toBe(1);
  });

  test("is refused if it is none, with what was expected", () => {
    expect(() => define("telemetry" as never)).toThrow(UsageError);
    expect(() => define({ request: 1 } as never)).toThrow(/observe\.request/);
    expect(() => define({ requests() {} } as never)).toThrow(/request/);
  });
});
