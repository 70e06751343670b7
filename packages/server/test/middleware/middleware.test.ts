import { RpcError, type Tool } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../../../test/eventually.ts";
import { z } from "zod";
import {
  accessControl,
  auditLog,
  createServer,
  prompt,
  rateLimit,
  reply,
  resource,
  sanitizeOutput,
  timeLimit,
  tool,
  ToolError,
  type ServerAuditEntry,
  type Context,
  type ServerMiddleware,
  type Server,
} from "../../src/index.ts";
import { defer, LegacyClient, ModernClient } from "../wire-client.ts";

const echo = tool({ input: z.object({ text: z.string() }), run: ({ text }) => text });

function make(...middleware: ServerMiddleware[]): Server {
  return createServer({
    name: "m",
    version: "1",
    onDiagnostic: () => {},
    middleware,
    tools: { echo, other: tool({ run: () => "other" }) },
    prompts: { p: prompt({ arguments: { a: { complete: () => ["x"] } }, get: () => "hi" }) },
    resources: {
      r: resource({ uri: "a://r", read: () => "r" }),
      f: resource({ template: "f://{x}", complete: { x: () => ["1"] }, read: ({ x }) => x }),
    },
  });
}

describe("middleware", () => {
  test("goes around every request, the first outermost, and around tools inside of that", async () => {
    const trace: string[] = [];
    const layer =
      (name: string): ServerMiddleware =>
      async (call, next) => {
        trace.push(`${name} in ${call.method}`);
        const result = await next();
        trace.push(`${name} out`);
        return result;
      };
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [layer("a"), layer("b")],
      tools: { t: tool({ middleware: [layer("c"), layer("d")], run: () => void trace.push("run") }) },
    });
    await new ModernClient(server).callTool("t");
    expect(trace).toStrictEqual([
      "a in tools/call",
      "b in tools/call",
      "c in tools/call",
      "d in tools/call",
      "run",
      "d out",
      "c out",
      "b out",
      "a out",
    ]);
  });

  test("sees all methods, unknown ones too", async () => {
    const seen: string[] = [];
    const server = make((call, next) => {
      seen.push(call.method);
      return next();
    });
    const client = new ModernClient(server);
    await client.request("server/discover");
    await client.request("tools/list");
    await client.request("no/such").catch(() => undefined);
    const legacy = await LegacyClient.open(server);
    await legacy.request("ping");
    expect(seen).toStrictEqual(["server/discover", "tools/list", "no/such", "initialize", "ping"]);
  });

  test("knows the tool as it is listed, the context and the origin", async () => {
    let seen: { tool: Tool | undefined; principal: string | undefined; binding: string } | undefined;
    const server = make((call, next) => {
      seen = { tool: call.tool, principal: call.context.principal?.id, binding: call.origin.binding };
      return next();
    });
    await new ModernClient(server, { principal: { id: "anna" } }).callTool("other");
    expect(seen).toMatchObject({
      tool: { name: "other", inputSchema: { type: "object" } },
      principal: "anna",
      binding: "memory",
    });
  });

  test("can answer instead, change parameters on the way in, and results on the way out", async () => {
    const server = make(async (call, next) => {
      if (call.tool?.name === "other") return { content: [{ type: "text", text: "instead" }] };
      if (call.tool?.name !== "echo") return next();
      const result = await next({ ...call.params, arguments: { text: "changed" } });
      return { ...result, _meta: { "com.example/seen": true } };
    });
    const client = new ModernClient(server);
    expect(await client.callTool("other")).toMatchObject({ resultType: "complete", content: [{ text: "instead" }] });
    expect(await client.callTool("echo", { text: "original" })).toMatchObject({
      content: [{ text: "changed" }],
      _meta: { "com.example/seen": true, "io.modelcontextprotocol/serverInfo": { name: "m" } },
    });
  });

  test("can refuse, in either of the two channels of errors; what it throws by mistake does not leak", async () => {
    const server = make((call, next) => {
      const { name } = (call.params ?? {}) as { name?: string };
      if (name === "echo") throw new ToolError("Not now");
      if (name === "other") throw new RpcError(403, "Not you", { data: { why: 1 } });
      if (call.method === "tools/list") throw new Error("secret");
      return next();
    });
    const client = new ModernClient(server);
    expect(await client.callTool("echo", { text: "" })).toMatchObject({
      isError: true,
      content: [{ text: "Not now" }],
    });
    await expect(client.callTool("other")).rejects.toMatchObject({ code: 403, message: "Not you", data: { why: 1 } });
    await expect(client.request("tools/list")).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
  });

  test("middleware of a tool sees what the server's own has changed, and may change it again", async () => {
    const seen: unknown[] = [];
    const set =
      (text: string): ServerMiddleware =>
      (call, next) => {
        seen.push((call.params as { arguments: unknown }).arguments);
        return next({ ...call.params, arguments: { text } });
      };
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [set("outer")],
      tools: {
        t: tool({ input: z.object({ text: z.string() }), middleware: [set("inner")], run: ({ text }) => text }),
      },
    });
    const result = await new ModernClient(server).callTool("t", { text: "original" });
    expect(seen).toStrictEqual([{ text: "original" }, { text: "outer" }]);
    expect(result).toMatchObject({ content: [{ text: "inner" }] });
  });

  test("middleware of a tool may throw as its handler may", async () => {
    const refuse: ServerMiddleware = () => {
      throw new ToolError("Closed");
    };
    const crash: ServerMiddleware = async () => {
      throw new Error("secret");
    };
    const server = createServer({
      name: "m",
      version: "1",
      onDiagnostic: () => {},
      tools: { a: tool({ middleware: [refuse], run: () => "" }), b: tool({ middleware: [crash], run: () => "" }) },
    });
    const client = new ModernClient(server);
    expect(await client.callTool("a")).toMatchObject({ isError: true, content: [{ text: "Closed" }] });
    expect(JSON.stringify(await client.callTool("b"))).not.toContain("secret");
  });

  test("a prepared list that passes unchanged is sent as it is, a copy is sent as it was made", async () => {
    const plain = await new ModernClient(make()).request("tools/list");
    expect(await new ModernClient(make((_call, next) => next())).request("tools/list")).toStrictEqual(plain);
    const server = make(async (_call, next) => ({ ...(await next()), nextCursor: "more" }));
    expect(await new ModernClient(server).request("tools/list")).toStrictEqual({ ...plain, nextCursor: "more" });
  });

  test("questions pass through it, each round", async () => {
    let rounds = 0;
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [
        async (call, next) => {
          rounds += 1;
          return next({ ...call.params, arguments: { fixed: "always" } });
        },
      ],
      tools: {
        ask: tool({
          input: z.object({ fixed: z.string() }),
          run: async ({ fixed }, ctx) =>
            fixed + (await ctx.elicit("n", { message: "?", schema: z.object({ x: z.string() }) })).x,
        }),
      },
    });
    const client = new ModernClient(server, { capabilities: { elicitation: {} } });
    const { requestState } = await client.callTool("ask", { fixed: "never" });
    const inputResponses = { n: { action: "accept", content: { x: "!" } } };
    expect(await client.callTool("ask", { fixed: "other" }, { requestState, inputResponses })).toMatchObject({
      content: [{ text: "always!" }],
    });
    expect(rounds).toBe(2);
  });
});

describe("rateLimit", () => {
  test("lets bursts pass, refuses what is too much, and recovers", async () => {
    let now = 0;
    const client = new ModernClient(make(rateLimit({ limit: 3, window: 3000, now: () => now })));
    const call = async (): Promise<boolean> => (await client.callTool("other")).isError !== true;
    expect([await call(), await call(), await call(), await call()]).toStrictEqual([true, true, true, false]);
    now = 999;
    expect(await call()).toBe(false);
    now = 1000;
    expect([await call(), await call()]).toStrictEqual([true, false]);
    now = 1_000_000;
    expect([await call(), await call(), await call(), await call()]).toStrictEqual([true, true, true, false]);
  });

  test("lets everything pass without a limit", async () => {
    let now = 0;
    const client = new ModernClient(make(rateLimit({ limit: Infinity, now: () => (now += 1) })));
    for (let calls = 0; calls < 3; calls += 1) expect((await client.callTool("other")).isError).not.toBe(true);
  });

  test("tells the model when to try again; other requests get an error with the time to wait", async () => {
    const client = new ModernClient(make(rateLimit({ limit: 1, window: 10_000, methods: "all", now: () => 0 })));
    await client.request("tools/list");
    expect((await client.callTool("other")).content[0].text).toContain("10 seconds");
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: 429, data: { retryAfterMs: 10_000 } });
  });

  test("counts callers apart: by principal, or by connection", async () => {
    const server = make(rateLimit({ limit: 1, now: () => 0 }));
    const anna = (): ModernClient => new ModernClient(server, { principal: { id: "anna" } });
    const nobody = new ModernClient(server);
    expect(await anna().callTool("other")).not.toHaveProperty("isError");
    expect(await anna().callTool("other")).toHaveProperty("isError");
    expect(await nobody.callTool("other")).not.toHaveProperty("isError");
    expect(await nobody.callTool("other")).toHaveProperty("isError");
    expect(await new ModernClient(server).callTool("other")).not.toHaveProperty("isError");
  });

  test("counts tools apart if told to; made-up names count together", async () => {
    const client = new ModernClient(make(rateLimit({ limit: 1, perTool: true, now: () => 0 })));
    expect(await client.callTool("other")).not.toHaveProperty("isError");
    expect(await client.callTool("echo", { text: "" })).not.toHaveProperty("isError");
    expect(await client.callTool("other")).toHaveProperty("isError");
    await expect(client.callTool("made-up-1")).rejects.toMatchObject({ code: -32602 });
    expect(await client.callTool("made-up-2")).toHaveProperty("isError");
  });

  test("remembers a bounded number of callers, those who were quiet longest go first", async () => {
    const server = make(rateLimit({ limit: 1, maxCallers: 2, now: () => 0 }));
    const call = async (id: string): Promise<boolean> =>
      (await new ModernClient(server, { principal: { id } }).callTool("other")).isError !== true;
    expect([await call("a"), await call("b"), await call("a"), await call("c")]).toStrictEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(await call("a")).toBe(false);
    expect(await call("b")).toBe(true);
  });
});

describe("accessControl", () => {
  const server = make(
    accessControl(async (subject, ctx) => {
      if (ctx.principal?.id === "admin") return true;
      if (subject.kind === "tool") return subject.name === "echo";
      return subject.kind === "resource" && subject.uri === "f://open";
    }),
  );
  const admin = new ModernClient(server, { principal: { id: "admin" } });
  const guest = new ModernClient(server);
  const LISTED = {
    "tools/list": ["tools", 2, 1],
    "prompts/list": ["prompts", 1, 0],
    "resources/list": ["resources", 1, 0],
    "resources/templates/list": ["resourceTemplates", 1, 0],
  } as const;

  test.each(Object.entries(LISTED))(
    "%s shows what may be used, and must not be shared",
    async (method, [member, all, few]) => {
      expect((await admin.request(method))[member]).toHaveLength(all);
      const result = await guest.request(method);
      expect(result[member]).toHaveLength(few);
      expect(result.cacheScope).toBe("private");
      expect(result).toHaveProperty("_meta");
    },
  );

  test.each([
    ["tools/call", { name: "other" }, { name: "nope" }],
    ["prompts/get", { name: "p" }, { name: "nope" }],
    ["resources/read", { uri: "a://r" }, { uri: "a://nope" }],
    ["resources/read", { uri: "f://closed" }, { uri: "a://nope" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/prompt", name: "nope" }, argument: { name: "a", value: "" } },
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "f://{x}" }, argument: { name: "x", value: "" } },
      { ref: { type: "ref/resource", uri: "nope" }, argument: { name: "x", value: "" } },
    ],
  ])("%s of what is hidden is refused exactly as if it did not exist: %j", async (method, hidden, missing) => {
    await admin.request(method, hidden);
    const refusal = async (params: object): Promise<RpcError> =>
      guest.request(method, params).then(
        () => expect.fail("was served"),
        (error: unknown) => error as RpcError,
      );
    const [one, two] = [await refusal(hidden), await refusal(missing)];
    expect(one.code).toBe(two.code);
    const blank = (error: RpcError): string => error.message.replaceAll(/nope|other|\bp\b/g, "");
    expect(blank(one)).toBe(blank(two));
  });

  test("an allowed request is served", async () => {
    expect(await guest.callTool("echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(await guest.request("resources/read", { uri: "f://open" })).toMatchObject({ contents: [{ text: "open" }] });
  });

  test("hidden resources cannot be watched, in either era", async () => {
    guest.start("subscriptions/listen", { notifications: { resourceSubscriptions: ["a://r", "f://open"] } });
    const { params } = await guest.notification("notifications/subscriptions/acknowledged");
    expect(params.notifications.resourceSubscriptions).toStrictEqual(["f://open"]);
    const legacy = await LegacyClient.open(server);
    await expect(legacy.request("resources/subscribe", { uri: "a://r" })).rejects.toMatchObject({ code: -32002 });
    expect(await legacy.request("resources/subscribe", { uri: "f://open" })).toStrictEqual({});
  });

  test("unknown tools that are answered as results stay indistinguishable", async () => {
    const lenient = createServer({
      name: "l",
      version: "1",
      unknownTool: "result",
      middleware: [accessControl(() => false)],
      tools: { secret: echo },
    });
    const client = new ModernClient(lenient);
    expect(await client.callTool("secret")).toMatchObject({
      isError: true,
      content: [{ text: "Unknown tool: secret" }],
    });
  });

  test("odd method names do no harm", async () => {
    for (const method of ["constructor", "__proto__", "toString"]) {
      await expect(guest.request(method)).rejects.toMatchObject({ code: -32601 });
    }
  });
});

describe("timeLimit", () => {
  test("ends what takes too long: the handler is told, and the caller too", async () => {
    const reason = defer<unknown>();
    const slow = tool({
      run: async (_args, ctx) =>
        new Promise<never>(() => {
          ctx.signal.addEventListener("abort", () => reason.resolve(ctx.signal.reason));
        }),
    });
    const server = createServer({
      name: "t",
      version: "1",
      middleware: [timeLimit({ timeout: 5 })],
      tools: { slow },
      resources: { r: resource({ uri: "a://b", read: async () => new Promise<never>(() => {}) }) },
    });
    const client = new ModernClient(server);
    expect(await client.callTool("slow")).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "slow" took longer than 5 ms and was stopped.' }],
    });
    expect(await reason.promise).toBeInstanceOf(ToolError);
    await expect(client.request("resources/read", { uri: "a://b" })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("5 ms"),
    });
  });

  test.each([Infinity, 2 ** 31])("a limit of %d ms means no limit: no timer can wait that long", async (ms) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const [began, end] = [defer(), defer<string>()];
    const slow = tool({
      run: () => {
        began.resolve();
        return end.promise;
      },
    });
    const server = createServer({ name: "t", version: "1", middleware: [timeLimit({ timeout: ms })], tools: { slow } });
    const answer = new ModernClient(server).callTool("slow");
    await began.promise;
    vi.advanceTimersByTime(2 ** 32);
    end.resolve("done");
    expect(await answer).toMatchObject({ content: [{ text: "done" }] });
  });

  test("lets everything else pass, errors included, and subscriptions last", async () => {
    const client = new ModernClient(make(timeLimit({ timeout: 60_000 })));
    expect(await client.callTool("other")).toMatchObject({ content: [{ text: "other" }] });
    await expect(client.callTool("nope")).rejects.toMatchObject({ code: -32602 });
    client.start("subscriptions/listen", { notifications: {} });
    await client.notification("notifications/subscriptions/acknowledged");
  });
});

describe("sanitizeOutput", () => {
  test("cleans structured results whatever their members are called, and the text that repeats them", async () => {
    const output = z.object({ data: z.string(), blob: z.string(), type: z.literal("image") });
    const run = (): z.infer<typeof output> => ({ data: "\u001b[31mred\u202e", blob: "a\u200bb", type: "image" });
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [sanitizeOutput()],
      tools: { t: tool({ output, run }) },
    });
    const { content, structuredContent } = await new ModernClient(server).callTool("t");
    expect(structuredContent).toStrictEqual({ data: "red", blob: "ab", type: "image" });
    expect(content).toStrictEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
  });

  test("keeps what stands beside the text that repeats a structured result", async () => {
    const structured = { n: 1 };
    const content = [
      { type: "text" as const, text: JSON.stringify(structured) },
      { type: "text" as const, text: "beside it\u202e" },
    ];
    const tools = { t: tool({ output: z.object({ n: z.number() }), run: () => reply({ content, structured }) }) };
    const server = createServer({ name: "m", version: "1", middleware: [sanitizeOutput()], tools });
    const cleaned = await new ModernClient(server).callTool("t");
    expect(cleaned.content).toMatchObject([{ text: JSON.stringify(structured) }, { text: "beside it" }]);
  });

  test("leaves dates, and whatever else writes itself as JSON, what they write", async () => {
    const run = (): unknown => ({ at: new Date(0), home: new URL("http://localhost/") });
    const tools = { t: tool({ output: z.any(), run }) };
    const server = createServer({ name: "m", version: "1", middleware: [sanitizeOutput()], tools });
    const { structuredContent } = await new ModernClient(server).callTool("t");
    expect(structuredContent).toStrictEqual({ at: "1970-01-01T00:00:00.000Z", home: "http://localhost/" });
  });

  test("takes out what is invisible, and leaves joiners that scripts and emoji need", async () => {
    const hidden = ["\u00ad", "\u200b", "\u2060", "\ufeff", "\u{e0041}", "\u{e0101}"];
    const server = make(sanitizeOutput());
    const client = new ModernClient(server);
    expect((await client.callTool("echo", { text: `a${hidden.join("")}b` })).content[0].text).toBe("ab");
    const family = "\u{1f468}\u200d\u{1f469} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2764\ufe0f";
    expect((await client.callTool("echo", { text: family })).content[0].text).toBe(family);
  });

  const dirty =
    "\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\u0000b\u0008c\u009b1m \u202eevil\u202c tag\u{e0041}\u{e0042} ok\tline\nend 🦊";
  const clean = "red link abc evil tag ok\tline\nend 🦊";

  test("takes out escapes, control characters, reordering marks and invisible characters", async () => {
    const server = createServer({
      name: "s",
      version: "1",
      middleware: [sanitizeOutput()],
      tools: {
        text: tool({ run: () => dirty }),
        data: tool({ output: z.object({ a: z.array(z.string()), n: z.number() }), run: () => ({ a: [dirty], n: 1 }) }),
        binary: tool({ run: () => ({ content: [{ type: "image" as const, data: "AAAA", mimeType: "image/png" }] }) }),
      },
      resources: { r: resource({ uri: "a://b", read: () => dirty }) },
      prompts: { p: prompt({ get: () => dirty }) },
    });
    const client = new ModernClient(server);
    expect((await client.callTool("text")).content[0].text).toBe(clean);
    expect((await client.callTool("data")).structuredContent).toStrictEqual({ a: [clean], n: 1 });
    expect((await client.callTool("binary")).content[0].data).toBe("AAAA");
    expect((await client.request("resources/read", { uri: "a://b" })).contents[0].text).toBe(clean);
    expect((await client.request("prompts/get", { name: "p" })).messages[0].content.text).toBe(clean);
  });

  test.each([
    [1, "", 5],
    [2, "\u{1F600}", 3],
    [3, "\u{1F600}a", 2],
    [4, "\u{1F600}a", 2],
    [5, "\u{1F600}a\u{1F600}", 0],
  ])("cuts no character in two: at most %d of them", async (maxTextLength, kept, left) => {
    const text = "\u{1F600}a\u{1F600}";
    const { content } = await new ModernClient(make(sanitizeOutput({ maxTextLength }))).callTool("echo", { text });
    expect(content[0].text).toBe(left === 0 ? kept : `${kept}\n[${left} more characters were left out]`);
  });

  test("cleans what modern clients are asked, which is part of a result", async () => {
    const ask = tool({
      run: async (_args, ctx) => void (await ctx.elicit("k", { message: "\u001b[31mpay\u202e", schema: z.object({}) })),
    });
    const server = createServer({ name: "m", version: "1", middleware: [sanitizeOutput()], tools: { ask } });
    const client = new ModernClient(server, { capabilities: { elicitation: { form: {} } } });
    const { inputRequests } = await client.callTool("ask");
    expect(inputRequests.k.params.message).toBe("pay");
  });

  test("cuts texts that are too long, says so, and applies further rules", async () => {
    const server = make(sanitizeOutput({ maxTextLength: 5, clean: (text) => text.replaceAll("secret", "***") }));
    const client = new ModernClient(server);
    expect((await client.callTool("echo", { text: "secret" })).content[0].text).toBe("***");
    expect((await client.callTool("echo", { text: "123456789" })).content[0].text).toBe(
      "12345\n[4 more characters were left out]",
    );
  });

  test("leaves the state of questions alone", async () => {
    const server = createServer({
      name: "s",
      version: "1",
      middleware: [sanitizeOutput()],
      tools: {
        ask: tool({
          run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: z.object({ x: z.string() }) })).x,
        }),
      },
    });
    const client = new ModernClient(server, { capabilities: { elicitation: {} } });
    const { requestState } = await client.callTool("ask");
    const inputResponses = { n: { action: "accept", content: { x: "y" } } };
    expect(await client.callTool("ask", {}, { requestState, inputResponses })).toMatchObject({
      content: [{ text: "y" }],
    });
  });
});

describe("options that make no sense", () => {
  test.each([
    [
      "rateLimit",
      () => rateLimit({ limit: Number.NaN }),
      "`limit` must be a whole number of at least 1, or Infinity; got NaN.",
    ],
    ["rateLimit", () => rateLimit({ limit: 0 }), "`limit` must be a whole number of at least 1, or Infinity; got 0."],
    ["rateLimit", () => rateLimit({ limit: 1, window: -5 }), "`window` must be a whole number of at least 1; got -5."],
    [
      "rateLimit",
      () => rateLimit({ limit: 1, maxCallers: 0 }),
      "`maxCallers` must be a whole number of at least 1, or Infinity; got 0.",
    ],
    [
      "timeLimit",
      () => timeLimit({ timeout: Number.NaN }),
      "`timeout` must be a whole number of at least 1, or Infinity; got NaN.",
    ],
    [
      "sanitizeOutput",
      () => sanitizeOutput({ maxTextLength: Number.NaN }),
      "`maxTextLength` must be a whole number of at least 1, or Infinity; got NaN.",
    ],
    ["createServer", () => createServer({ name: "m", version: "1", maxSubscriptions: Number.NaN }), "maxSubscriptions"],
    ["createServer", () => createServer({ name: "m", version: "1", inputTimeout: Number.NaN }), "inputTimeout"],
  ])("are refused rather than taken for no limit: %s (%#)", (_name, define, words) => {
    expect(define).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(words) }),
    );
  });
});

describe("auditLog", () => {
  test("tells a call that was stopped from one that its client gave up", async () => {
    const entries: ServerAuditEntry[] = [];
    const never = tool({ run: () => new Promise<string>(() => {}) });
    const middleware = [auditLog((entry) => void entries.push(entry)), timeLimit({ timeout: 1 })];
    const client = new ModernClient(createServer({ name: "m", version: "1", middleware, tools: { never } }));
    expect((await client.callTool("never")).isError).toBe(true);
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(["timed-out"]);
    const { id } = client.start("tools/call", { name: "never" });
    client.notify("notifications/cancelled", { requestId: id });
    await until(() => entries.some(({ outcome }) => outcome === "cancelled"));
  });

  test("tells what took too long, wherever the limit was", async () => {
    const entries: ServerAuditEntry[] = [];
    const audit = auditLog((entry) => void entries.push(entry));
    const limit = timeLimit({ timeout: 1 });
    const run = (_args: object, { signal }: Context): Promise<string> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const definition = {
      name: "m",
      version: "1",
      tools: { late: tool({ run }), limited: tool({ run, middleware: [limit] }) },
      resources: { late: resource({ uri: "a://late", read: (ctx) => run({}, ctx) }) },
    };
    const within = new ModernClient(createServer({ ...definition, middleware: [audit, limit] }));
    await within.callTool("late");
    await within.request("resources/read", { uri: "a://late" }).catch(() => undefined);
    await new ModernClient(createServer({ ...definition, middleware: [audit] })).callTool("limited");
    await new ModernClient(createServer({ ...definition, middleware: [limit, audit] })).callTool("late");
    expect(entries.map(({ target, outcome }) => [target, outcome])).toStrictEqual([
      ["late", "timed-out"],
      ["a://late", "timed-out"],
      ["limited", "timed-out"],
      ["late", "timed-out"],
    ]);
    expect(entries.map(({ errorCode }) => errorCode)).toStrictEqual([undefined, -32603, undefined, undefined]);
  });

  test.each([
    ["its client cancels it", [], "cancelled"],
    ["it takes too long", [timeLimit({ timeout: 50 })], "timed-out"],
  ])("writes one entry of a call whose handler never stops: %s", async (_why, before, outcome) => {
    const [began, written] = [defer(), defer<ServerAuditEntry>()];
    const entries: ServerAuditEntry[] = [];
    const audit = auditLog((entry) => {
      entries.push(entry);
      written.resolve(entry);
    });
    const gate = defer<string>();
    const hang = tool({
      run() {
        began.resolve();
        return gate.promise;
      },
    });
    const server = createServer({ name: "m", version: "1", middleware: [...before, audit], tools: { hang } });
    const client = new ModernClient(server);
    const { id } = client.start("tools/call", { name: "hang" });
    await began.promise;
    if (outcome === "cancelled") client.notify("notifications/cancelled", { requestId: id });
    expect(await written.promise).toMatchObject({ target: "hang", outcome });
    // The late result makes no second entry.
    gate.resolve("late");
    await client.request("server/discover");
    expect(entries.map(({ method }) => method)).toStrictEqual(["tools/call", "server/discover"]);
  });

  test("tells of what was stopped for a reason that is its own cause, and does not fail it otherwise", async () => {
    const entries: ServerAuditEntry[] = [];
    const circular = new ToolError("Enough.");
    circular.cause = circular;
    const stop: ServerMiddleware = (call) => {
      call.abort(circular);
      throw circular;
    };
    const middleware = [auditLog((entry) => void entries.push(entry)), stop];
    const tools = { any: tool({ run: () => "never" }) };
    const client = new ModernClient(createServer({ name: "m", version: "1", middleware, tools }));
    expect(await client.callTool("any")).toMatchObject({ isError: true, content: [{ text: "Enough." }] });
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(["tool-error"]);
  });

  test("tells what somebody else has stopped apart: a tool, or any other request", async () => {
    const entries: ServerAuditEntry[] = [];
    const stop: ServerMiddleware = (call, next) => {
      void next();
      const stopped = new ToolError("Enough.");
      call.abort(stopped);
      throw stopped;
    };
    const wait = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, "late"));
    const server = createServer({
      name: "m",
      version: "1",
      middleware: [stop, auditLog((entry) => void entries.push(entry))],
      tools: { late: tool({ run: wait }) },
      resources: { late: resource({ uri: "a://late", read: wait }) },
    });
    const client = new ModernClient(server);
    await client.callTool("late");
    await client.request("resources/read", { uri: "a://late" }).catch(() => undefined);
    await until(() => entries.length === 2);
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(["tool-error", "error"]);
  });

  test("takes requests without parameters, as legacy clients send them", async () => {
    const entries: ServerAuditEntry[] = [];
    const client = await LegacyClient.open(make(auditLog((entry) => void entries.push(entry))));
    await client.request("ping");
    expect(entries.at(-1)).toMatchObject({ method: "ping", target: undefined, outcome: "ok" });
  });

  test("tells what became of each request, without arguments and results", async () => {
    const entries: ServerAuditEntry[] = [];
    const server = make(auditLog((entry) => void entries.push(entry)));
    const client = new ModernClient(server, { principal: { id: "anna" } });
    await client.callTool("echo", { text: "private" });
    await client.callTool("echo", {});
    await client.callTool("nope").catch(() => undefined);
    await client.request("resources/read", { uri: "a://r" });
    expect(entries).toMatchObject([
      {
        method: "tools/call",
        target: "echo",
        principal: "anna",
        binding: "memory",
        outcome: "ok",
        errorCode: undefined,
      },
      { outcome: "tool-error" },
      { target: "nope", outcome: "error", errorCode: -32602 },
      { method: "resources/read", target: "a://r", outcome: "ok" },
    ]);
    expect(JSON.stringify(entries)).not.toContain("private");
    for (const { time, durationMs } of entries) {
      expect(time).toBeInstanceOf(Date);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
  });

  test("knows of questions and of cancellation", async () => {
    const entries: ServerAuditEntry[] = [];
    const logged = defer();
    const server = createServer({
      name: "a",
      version: "1",
      middleware: [
        auditLog((entry) => {
          entries.push(entry);
          if (entries.length === 2) logged.resolve();
        }),
      ],
      tools: {
        ask: tool({
          run: async (_args, ctx) => (await ctx.elicit("n", { message: "?", schema: z.object({ x: z.string() }) })).x,
        }),
        wait: tool({
          run: async (_args, ctx) =>
            new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve())),
        }),
      },
    });
    const client = new ModernClient(server, { capabilities: { elicitation: {} } });
    await client.callTool("ask");
    const { id } = client.start("tools/call", { name: "wait" });
    client.notify("notifications/cancelled", { requestId: id });
    await logged.promise;
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(["input-required", "cancelled"]);
  });

  test("a log that fails does not fail the request", async () => {
    const failing = [
      auditLog(() => Promise.reject(new Error("disk full"))),
      auditLog(() => {
        throw new Error("disk full");
      }),
    ];
    expect(await new ModernClient(make(...failing)).callTool("other")).toMatchObject({ content: [{ text: "other" }] });
  });
});
