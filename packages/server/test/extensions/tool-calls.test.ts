/** What extensions do with tools: listing, hooks around calls, calls that outlive their request. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type CallOutcome,
  createServer,
  type DetachedRun,
  type ExtendedCall,
  type ExtensionHost,
  InputRequired,
  type Server,
  type ServerExtension,
  type ServerMiddleware,
  tool,
} from "../../src/index.ts";
import { defer, LegacyClient, ModernClient } from "../wire-client.ts";

const ID = "com.example/later";
const DECLARED = { capabilities: { extensions: { [ID]: {} }, elicitation: { form: {} } } };

/** A run that notes what reaches it. */
class NotedRun implements DetachedRun {
  readonly progressed: unknown[] = [];
  readonly asked: unknown[] = [];
  readonly done = new Map<string, unknown>();
  readonly outcome = defer<CallOutcome>();
  outcomes = 0;
  answer: () => unknown = () => {
    throw new InputRequired();
  };

  readonly questions: DetachedRun["questions"] = {
    ask: async (key, _request, attempt, problem) => {
      this.asked.push([key, attempt, problem]);
      return this.answer();
    },
    once: async (key, work) => {
      const value = await work();
      this.done.set(key, value);
      return value;
    },
  };

  ended(outcome: CallOutcome): void {
    this.outcomes += 1;
    this.outcome.resolve(outcome);
  }

  progress(progress: object): void {
    this.progressed.push(progress);
  }
}

interface Later {
  readonly extension: ServerExtension;
  readonly run: NotedRun;
  host: ExtensionHost | undefined;
  call: ExtendedCall | undefined;
}

/** An extension that answers each call early. */
function later(): Later {
  const run = new NotedRun();
  const made: Later = {
    run,
    host: undefined,
    call: undefined,
    extension: {
      id: ID,
      resultTypes: ["later"],
      toolMembers: ["later"],
      tool: () => ({
        call(call, next) {
          made.call = call;
          const isOld = call.context.era === "legacy";
          if (call.run === undefined) {
            call.answerEarly(isOld ? { later: true } : { resultType: "later", later: true }, run);
          }
          return next();
        },
      }),
      start(host) {
        made.host = host;
      },
    },
  };
  return made;
}

function define({ extension }: Later, middleware: ServerMiddleware[] = []): Server {
  const question = { message: "Who?", schema: z.object({ name: z.string() }) };
  return createServer({
    name: "x",
    version: "1",
    extensions: [extension],
    middleware,
    tools: {
      greet: tool({
        input: z.object({ greeting: z.string() }),
        async run({ greeting }, ctx) {
          ctx.progress(1, 2, "Asking");
          const { name } = await ctx.elicit("who", question);
          const mark = await ctx.once("mark", () => "!");
          return `${greeting}, ${name}${mark}`;
        },
      }),
      wait: tool({
        run: (_args, { signal }) =>
          new Promise<string>((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason as Error)),
          ),
      }),
    },
  });
}

describe("a call that is answered early", () => {
  test("goes on, and its outcome reaches the extension once, through all middleware", async () => {
    const made = later();
    const seen: unknown[] = [];
    const server = define(made, [
      async (request, next) => {
        const result = await next();
        if (request.method === "tools/call") seen.push(result);
        return result;
      },
    ]);
    made.run.answer = () => ({ action: "accept", content: { name: "Ada" } });
    const answer = await new ModernClient(server, DECLARED).callTool("greet", { greeting: "Hi" });
    expect(answer).toMatchObject({ resultType: "later", later: true, _meta: {} });
    expect(await made.run.outcome.promise).toMatchObject({
      kind: "result",
      result: { content: [{ type: "text", text: "Hi, Ada!" }] },
    });
    expect(seen).toHaveLength(1);
    expect(made.run).toMatchObject({ outcomes: 1, progressed: [{ progress: 1, total: 2, message: "Asking" }] });
    expect(made.run.done.get("mark")).toBe("!");
  });

  test("is asked again if an answer does not fit, with what was wrong", async () => {
    const made = later();
    const answers = [
      { action: "accept", content: { name: 7 } },
      { action: "accept", content: { name: "Ada" } },
    ];
    made.run.answer = () => answers.shift();
    await new ModernClient(define(made), DECLARED).callTool("greet", { greeting: "Hi" });
    expect(await made.run.outcome.promise).toMatchObject({ kind: "result" });
    expect(made.run.asked).toMatchObject([
      ["who", 0, undefined],
      ["who", 1, expect.stringContaining("name")],
    ]);
  });

  test("ends as suspended if the extension has no answer yet", async () => {
    const made = later();
    await new ModernClient(define(made), DECLARED).callTool("greet", { greeting: "Hi" });
    expect(await made.run.outcome.promise).toStrictEqual({ kind: "suspended" });
  });

  test("is not cancelled with its request, and ends when the extension aborts it", async () => {
    const made = later();
    const server = define(made);
    const client = new ModernClient(server, DECLARED);
    const { id, response } = client.start("tools/call", { name: "wait", arguments: {} });
    await response;
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("server/discover");
    expect(made.run.outcomes).toBe(0);
    const { call } = made;
    expect(() => call?.answerEarly({ resultType: "later" }, made.run)).toThrow(/answered already/);
    await client.disconnect();
    expect(made.run.outcomes).toBe(0);
  });

  test("is answered in the legacy era without a rewriting that is meant for results of tools", async () => {
    const made = later();
    made.run.answer = () => ({ action: "accept", content: { name: "Ada" } });
    const client = await LegacyClient.open(define(made), DECLARED);
    // The client checks results against the schema of its revision, which this is not meant to fit.
    const answer = await client.callTool("greet", { greeting: "Hi" }).catch((error: Error) => error.message);
    expect(JSON.stringify(answer)).toContain("later");
    expect(await made.run.outcome.promise).toMatchObject({ kind: "result" });
  });

  test("can be kept as JSON, and go on without its request", async () => {
    const made = later();
    const client = new ModernClient(define(made), { ...DECLARED, principal: { id: "ada" } });
    await client.callTool("greet", { greeting: "Hi" }, { _meta: { traceparent: "00-a-b-01", progressToken: 1 } });
    await made.run.outcome.promise;
    const stored = made.call?.stored();
    expect(JSON.parse(JSON.stringify(stored))).toStrictEqual({
      params: { name: "greet", arguments: { greeting: "Hi" }, _meta: { traceparent: "00-a-b-01" } },
      revision: "2026-07-28",
      principal: { id: "ada" },
      isLocal: false,
      clientInfo: { name: "test", version: "1" },
      clientCapabilities: DECLARED.capabilities,
    });
    const again = new NotedRun();
    again.answer = () => ({ action: "accept", content: { name: "Bob" } });
    if (stored !== undefined) made.host?.call(stored, again);
    expect(await again.outcome.promise).toMatchObject({ result: { content: [{ text: "Hi, Bob!" }] } });
    expect(made.call?.run).toBe(again);
  });

  test("must not have a type of result that the extension does not name", async () => {
    const made = later();
    const extension: ServerExtension = { ...made.extension, resultTypes: [] };
    const client = new ModernClient(define({ ...made, extension }), DECLARED);
    await expect(client.callTool("greet", { greeting: "Hi" })).rejects.toMatchObject({ code: -32_603 });
  });
});

describe("lists", () => {
  test("show tools as extensions change them in each revision, and leave out those that they drop", async () => {
    const extension: ServerExtension = {
      id: ID,
      toolMembers: ["later"],
      tool: ({ name }) => ({
        list: (listing, revision) =>
          name === "b" && revision === "2025-06-18" ? undefined : { ...listing, description: `${name} in ${revision}` },
      }),
      list: (kind, item) => (kind === "tools" ? { ...item, _meta: { seen: true } } : item),
    };
    const run = (): string => "";
    const tools = { a: tool({ run }), b: tool({ run }) };
    const server = createServer({ name: "x", version: "1", extensions: [extension], tools });
    const list = await new ModernClient(server).request("tools/list");
    expect(list.tools).toMatchObject([
      { description: "a in 2026-07-28", _meta: { seen: true } },
      { description: "b in 2026-07-28" },
    ]);
    const old = await LegacyClient.open(server, { revision: "2025-06-18" });
    expect((await old.request("tools/list")).tools).toMatchObject([{ name: "a", description: "a in 2025-06-18" }]);
  });

  test("have the tools, resources and prompts that extensions bring along", async () => {
    const extension = { id: ID, tools: { extra: tool({ run: () => "more" }) } };
    const client = new ModernClient(createServer({ name: "x", version: "1", extensions: [extension] }));
    expect((await client.request("tools/list")).tools).toMatchObject([{ name: "extra" }]);
    expect(await client.callTool("extra")).toMatchObject({ content: [{ text: "more" }] });
  });
});

test("a method can send a question to a legacy client while it is served, and to no modern one", async () => {
  let host: ExtensionHost | undefined;
  const { method } = await import("../../src/index.ts");
  const params = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
  const extension: ServerExtension = {
    id: ID,
    start: (given) => void (host = given),
    methods: {
      "com.example/later/ask": method({
        handle: async (_params, ctx) => ({
          answer: await host?.ask(ctx, { method: "elicitation/create", params } as never),
        }),
      }),
    },
  };
  const server = createServer({ name: "x", version: "1", extensions: [extension] });
  const legacy = await LegacyClient.open(server, {
    ...DECLARED,
    answer: () => ({ action: "accept", content: { name: "Ada" } }),
  });
  expect(await legacy.request("com.example/later/ask")).toMatchObject({ answer: { content: { name: "Ada" } } });
  await expect(new ModernClient(server, DECLARED).request("com.example/later/ask")).rejects.toMatchObject({
    code: -32_603,
  });
});
