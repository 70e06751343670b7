import { createServer as createHttpServer, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createMemoryChannels, serveChannel } from "../../src/bindings/channel/index.ts";
import { createHttpHandler, createMemoryEventStore, createNodeHandler, serveHttp } from "../../src/http.ts";
import {
  accessControl,
  auditLog,
  createServer,
  prompt,
  rateLimit,
  resource,
  sanitizeOutput,
  timeLimit,
  tool,
  type ServerOptions,
} from "../../src/index.ts";
import { defined } from "../../src/define/check-options.ts";
import { serveStdio } from "../../src/bindings/stdio/index.ts";
import { serveWebSocket, type ServeWebSocketOptions } from "../../src/bindings/websocket/index.ts";

const define = (options: Partial<ServerOptions>): unknown => createServer({ name: "o", version: "1", ...options });
const server = createServer({ name: "o", version: "1" });

/** Values that no limit and no duration can have. */
const NUMBERS = [-1, Number.NaN, "5", null];

/** An object that JSON cannot hold, such as the application of a framework. */
const LOOP: { self?: object } = {};
LOOP.self = LOOP;

/** An option, and each value that makes no sense for it. */
type Nonsense = readonly [option: string, values: readonly unknown[], set: (value: never) => object];

const numbers = (option: string, values: readonly unknown[] = NUMBERS): Nonsense => [
  option,
  values,
  (value) => ({ [option]: value }),
];

/** Options that all bindings over HTTP requests share. */
const ADMISSION: readonly Nonsense[] = [
  [
    "allowedHosts",
    ["localhost", ["http://x/"], [undefined], ["*.x"], ["::1"], {}],
    (value) => ({ allowedHosts: value }),
  ],
  ["allowedOrigins", ["https://x", ["x"], [undefined], ["http://x:*"], {}], (value) => ({ allowedOrigins: value })],
  ["authenticate", ["token", {}, LOOP, null], (value) => ({ authenticate: value })],
];

const HTTP: readonly Nonsense[] = [
  ...ADMISSION,
  ...["maxBodyBytes", "keepAliveInterval", "maxQueuedBytes", "maxInFlight", "maxInFlightPerClient"].map((option) =>
    numbers(option, [0, 1.5, -Infinity, ...NUMBERS]),
  ),
  numbers("closeTimeout"),
  ["responseMode", ["json", "SSE", true, null], (value) => ({ responseMode: value })],
  ["path", ["mcp", "", "/mcp?x"], (value) => ({ path: value })],
  ["legacy", ["false", 5, true, null], (value) => ({ legacy: value })],
  ["legacy.retryDelay", [0, 1.5, -Infinity, ...NUMBERS], (retryDelay) => ({ legacy: { retryDelay } })],
  ["legacy.sessions", ["false", 5, true, null], (value) => ({ legacy: { sessions: value } })],
  ["legacy.sessions.max", [0, -1, Number.NaN], (max) => ({ legacy: { sessions: { max } } })],
  ["legacy.sessions.maxPerClient", [0, -1, Number.NaN], (maxPerClient) => ({ legacy: { sessions: { maxPerClient } } })],
  ["legacy.sessions.idleTimeout", [0, -1, Number.NaN], (idleTimeout) => ({ legacy: { sessions: { idleTimeout } } })],
  ["legacy.sessions.maxStreams", [0, -1, Number.NaN], (maxStreams) => ({ legacy: { sessions: { maxStreams } } })],
  [
    "legacy.eventStore",
    [true, "memory", {}, null, { append() {} }, { append() {}, after: () => [] }],
    (value) => ({ legacy: { eventStore: value } }),
  ],
  ["legacy.sse", ["/sse", 1, [], null], (value) => ({ legacy: { sse: value } })],
  ["legacy.sse.streamPath", ["sse"], (streamPath) => ({ legacy: { sse: { streamPath } } })],
];

const PIPE: readonly Nonsense[] = ["maxMessageBytes", "maxQueuedBytes", "maxInFlight", "closeTimeout"].map((option) =>
  numbers(option),
);

const LISTEN: readonly Nonsense[] = [
  numbers("port", [-1, 65_536, 1.5, Number.NaN, "3000"]),
  ["host", ["", 127, null], (value) => ({ host: value })],
];

/** Makes something of options, and closes it if it can be closed. */
async function tryOut(take: (options: object) => unknown, options: object): Promise<void> {
  const taken = (await take(options)) as { close?(): Promise<void> } | undefined;
  await taken?.close?.();
}

function isLimit(option: string): boolean {
  return /^(sessions\.)?(max|ms$|limit$|pageSize|.*(Timeout|Interval))/.test(option);
}

const stdio = (options: object): unknown =>
  // Undefined options are left out, or the tests would take the place of this process's own streams.
  serveStdio(server, { input: new PassThrough(), output: new PassThrough(), ...defined(options) });

/** Everything that takes options, with all that can be wrong in them. */
const TAKERS: readonly (readonly [taker: string, take: (options: object) => unknown, nonsense: readonly Nonsense[]])[] =
  [
    [
      "createServer",
      define,
      [
        ["unknownTool", ["ignore", true, null], (value) => ({ unknownTool: value })],
        ["cache.tools.scope", ["everybody", null, 1], (scope) => ({ cache: { tools: { scope } } })],
        ["cache.read.ttlMs", [-1, 1.5, Number.NaN, "5"], (ttlMs) => ({ cache: { read: { ttlMs } } })],
        ["revisions", ["2025-11-25", [], ["2020-01-01"]], (value) => ({ revisions: value })],
        ["middleware", [timeLimit({ timeout: 1 }), ["audit"], [undefined], {}], (value) => ({ middleware: value })],
        [
          "middleware",
          [timeLimit({ timeout: 1 }), ["audit"]],
          (middleware) => ({
            tools: { t: tool({ middleware, run: () => "" }) },
          }),
        ],
        ["onDiagnostic", ["console", {}], (value) => ({ onDiagnostic: value })],
        ...["tools", "resources", "prompts", "experimental", "cache"].map((option) =>
          numbers(option, [[], new Map(), new Set(), "t", 1, null]),
        ),
        numbers("extensions", [{}, new Map(), new Set(), "t", 1, null]),
        ...["title", "icons", "instructions", "middleware", "revisions", "stateKey", "validator", "onDiagnostic"].map(
          (option) => numbers(option, [null]),
        ),
        ...["title", "description", "websiteUrl", "instructions"].map((option) => numbers(option, [5, {}, true])),
        ...["title", "description"].map((option): Nonsense => [
          option,
          [5, {}],
          (value) => ({ tools: { t: tool({ [option]: value, run: () => "" }) } }),
        ]),
        ["description", [5], (description) => ({ prompts: { p: prompt({ description, get: () => "" }) } })],
        ["mimeType", [5], (mimeType) => ({ resources: { r: resource({ uri: "a://b", mimeType, read: () => "" }) } })],
        ["validator", [{}, "ajv", { compile: true }], (value) => ({ validator: value })],
        numbers("pageSize", [0, 10n, ...NUMBERS]),
        numbers("inputTimeout", [0, ...NUMBERS]),
        numbers("maxSubscriptions"),
        numbers("logging", ["no", 1, null]),
        numbers("serverInfo", ["false", 0, null]),
        [
          "required",
          ["yes", 1, null],
          (required) => ({ prompts: { p: prompt({ arguments: { a: { required } }, get: () => "" }) } }),
        ],
        ["cache.tools", [5, true, []], (tools) => ({ cache: { tools } })],
      ],
    ],
    ["createHttpHandler", (options) => createHttpHandler(server, options), HTTP],
    ["createNodeHandler", (options) => createNodeHandler(server, options), HTTP],
    [
      "serveHttp",
      (options) => serveHttp(server, { port: 0, ...options }),
      [
        ...HTTP,
        ...LISTEN,
        numbers("headersTimeout", [0, -1, Number.NaN]),
        numbers("requestTimeout", [0, -1, Number.NaN]),
      ],
    ],
    [
      "serveWebSocket",
      (options) => serveWebSocket(server, { port: 0, ...options }),
      [
        ...ADMISSION,
        ...LISTEN,
        ...PIPE,
        numbers("maxConnections", [0, 0.5, ...NUMBERS]),
        numbers("maxConnectionsPerClient", [0, 0.5, ...NUMBERS]),
        numbers("maxInFlightPerClient"),
        numbers("keepAliveInterval"),
      ],
    ],
    [
      "serveWebSocket on a server that exists",
      (options) => serveWebSocket(server, { server: createHttpServer(), ...options }),
      [...ADMISSION, ...PIPE],
    ],
    [
      "serveWebSocket on what is no server",
      (options) => serveWebSocket(server, { port: 0, ...options } as ServeWebSocketOptions),
      // The result of `express()` can listen to events, too.
      [["server", ["http", {}, null, Object.assign(() => {}, { on() {} })], (value) => ({ server: value })]],
    ],
    [
      "serveStdio",
      stdio,
      [
        ...PIPE,
        ["onClose", ["later", {}], (value) => ({ onClose: value })],
        ["exit", ["no", 0, null], (value) => ({ exit: value })],
        ["input", ["stdin", {}, null], (value) => ({ input: value })],
        ["output", ["stdout", {}, null], (value) => ({ output: value })],
      ],
    ],
    [
      "serveChannel",
      (options) => serveChannel(server, createMemoryChannels()[0], options),
      [
        numbers("maxInFlight", [0, -1, Number.NaN, null, {}]),
        numbers("closeTimeout", [-1, Number.NaN]),
        ["binding", [5, null], (value) => ({ binding: value })],
        ["principal", ["anna", {}, { id: "" }, { id: 5 }, null], (value) => ({ principal: value })],
        ["header", ["accept", null], (value) => ({ header: value })],
      ],
    ],
    [
      "createMemoryEventStore",
      (options) => createMemoryEventStore(options),
      ["max", "maxPerSession", "maxUnsentPerClient", "maxAge"].map((option) => numbers(option, [0, -1, Number.NaN])),
    ],
    [
      "rateLimit",
      (options) => rateLimit({ limit: 1, ...options }),
      [
        ...["limit", "window", "maxCallers"].map((option) => numbers(option, [0, -1, Number.NaN])),
        ["methods", ["tools/call", 1], (value) => ({ methods: value })],
        ["caller", ["id"], (value) => ({ caller: value })],
        ["now", [0], (value) => ({ now: value })],
        ["perTool", ["yes", null], (value) => ({ perTool: value })],
      ],
    ],
    ["timeLimit", (options) => timeLimit({ timeout: 1, ...options }), [numbers("timeout", [0, -1, Number.NaN])]],
    [
      "sanitizeOutput",
      sanitizeOutput,
      [numbers("maxTextLength", [0, -1, Number.NaN]), ["clean", [/x/, "x"], (value) => ({ clean: value })]],
    ],
  ];

describe("options that make no sense are refused at once, by name, with what would make sense", () => {
  const cases = TAKERS.flatMap(([taker, take, nonsense]) =>
    nonsense.flatMap(([option, values, set]) => values.map((value) => ({ taker, option, value, take, set }))),
  );

  test.each(cases)("$taker: $option is $value", async ({ option, value, take, set }) => {
    // `async` makes a promise of what is thrown at once.
    await expect(async () => take(set(value as never))).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(
        new RegExp(`\`${option.replaceAll(".", "\\.")}(?:\\[\\d+\\])?\` must be .*; got .*\\.$`),
      ),
    });
  });

  const optional = TAKERS.flatMap(([taker, take, nonsense]) =>
    nonsense.map(([option, _values, set]) => ({ taker, option, take, set })),
  ).filter(({ option }) => !["port", "limit", "timeout"].includes(option));

  test.each(optional)("$taker: undefined is the same as no $option", async ({ take, set }) => {
    await expect(tryOut(take, set(undefined as never))).resolves.toBeUndefined();
  });

  test("serveWebSocket: undefined is the same as no server, or no port", async () => {
    for (const options of [
      { port: 0, server: undefined },
      { port: undefined, server: createHttpServer() },
    ]) {
      const serve = (given: object): unknown => serveWebSocket(server, given as ServeWebSocketOptions);
      await expect(tryOut(serve, options)).resolves.toBeUndefined();
    }
  });

  const limits = TAKERS.flatMap(([taker, take, nonsense]) =>
    nonsense.map(([option, _values, set]) => ({ taker, option, take, set })),
  ).filter(({ option }) => isLimit(option));

  test.each(limits)("$taker: Infinity is the end of $option", async ({ take, set }) => {
    await expect(tryOut(take, set(Infinity as never))).resolves.toBeUndefined();
  });

  test("rateLimit: a window must have an end", () => {
    expect(() => rateLimit({ limit: 1, window: Infinity })).toThrow(
      "`window` must be a whole number of at least 1; got Infinity.",
    );
  });

  test.each([
    ["auditLog", () => auditLog(undefined as never)],
    ["accessControl", () => accessControl({} as never)],
  ])("%s takes a function", (_name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("createServer says that a map will not do", () => {
    const tools = new Map() as never;
    expect(() => createServer({ name: "s", version: "1", tools })).toThrow(
      "`tools` must be a plain object, no list or map; got an object (Map).",
    );
  });

  test("serveWebSocket says where it could listen, if it is not told", async () => {
    await expect(serveWebSocket(server, undefined as never)).rejects.toThrow("an object with a `port`, or a `server`");
    await expect(serveWebSocket(server, {} as never)).rejects.toThrow(
      "`port` must be a whole number from 0 to 65535; got nothing.",
    );
  });
});

describe("options that do not exist are refused at once, with the name that was probably meant", () => {
  const misspelt = TAKERS.map(([taker, take, nonsense]) => {
    const [option = ""] = nonsense.map(([name]) => name).filter((name) => !name.includes("."));
    return { taker, take, option, typo: option.slice(0, -2) + option.slice(-1) };
  });

  test.each(misspelt)("$taker: $typo is not $option", async ({ take, option, typo }) => {
    await expect(tryOut(take, { [typo]: undefined })).resolves.toBeUndefined();
    await expect(async () => take({ [typo]: 1 })).rejects.toMatchObject({
      name: "UsageError",
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(new RegExp(`has no option \`${typo}\`\\. Did you mean \`${option}\`\\?$`)),
    });
  });

  test.each(misspelt)("$taker lists its options if none comes near", async ({ take, option }) => {
    await expect(async () => take({ bogusbogus: 1 })).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(new RegExp(`has no option \`bogusbogus\`\\. It has .*\\b${option}\\b.*\\.$`)),
      }),
    );
  });

  test.each<[string, () => unknown, string]>([
    ["cache", () => define({ cache: { tool: {} } as never }), "cache has no option `tool`. Did you mean `tools`?"],
    [
      "a cache hint",
      () => define({ cache: { read: { tttlMs: 5 } } as never }),
      "cache.read has no option `tttlMs`. Did you mean `ttlMs`?",
    ],
    [
      "legacy.sessions",
      () => createHttpHandler(server, { legacy: { sessions: { idelTimeout: 5 } as never } }),
      "legacy.sessions has no option `idelTimeout`. Did you mean `idleTimeout`?",
    ],
    [
      "legacy.sse",
      () => createHttpHandler(server, { legacy: { sse: { streampath: "/sse" } as never } }),
      "legacy.sse has no option `streampath`. Did you mean `streamPath`?",
    ],
    [
      "a tool",
      () => define({ tools: { t: tool({ descripton: "?", run: () => "" } as never) } }),
      'tool "t": tool() has no option `descripton`. Did you mean `description`?',
    ],
    [
      "a prompt",
      () => define({ prompts: { p: prompt({ titel: "?", get: () => "" } as never) } }),
      'prompt "p": prompt() has no option `titel`. Did you mean `title`?',
    ],
    [
      "an argument of a prompt",
      () => define({ prompts: { p: prompt({ arguments: { a: { requird: true } as never }, get: () => "" }) } }),
      'prompt "p": argument "a": it has no option `requird`. Did you mean `required`?',
    ],
    [
      "a resource",
      () => define({ resources: { r: resource({ uri: "a://b", mimetype: "text/html", read: () => "" } as never) } }),
      'resource "r": resource() has no option `mimetype`. Did you mean `mimeType`?',
    ],
    [
      "a template",
      () => define({ resources: { r: resource({ template: "a://{b}", lst: () => [], read: () => "" } as never) } }),
      'resource "r": resource() has no option `lst`. Did you mean `list`?',
    ],
    [
      "a template, of which nobody knows the size",
      () => define({ resources: { r: resource({ template: "a://{b}", size: 5, read: () => "" } as never) } }),
      "has no option `size`. It has ",
    ],
  ])("are refused for %s", (_what, make, message) => {
    expect(make).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringContaining(message) }));
  });

  test("instances of classes may have members of their own, which are no options", () => {
    class Weather {
      readonly description = "Tells the weather";
      readonly cities = new Map([["Oslo", 4]]);

      run(): string {
        return `${this.cities.size}`;
      }
    }
    expect(() => define({ tools: { weather: tool(new Weather()) } })).not.toThrow();
  });
});

describe("an invalid server is refused at once, and so is everything else of the wrong kind", () => {
  const NO_SERVERS: readonly (readonly [what: string, given: unknown, shown: string])[] = [
    ["options", { port: 3000, host: "::" }, "an object with port, host"],
    ["nothing", undefined, "undefined"],
    ["a port", 3000, "a number"],
    ["a promise of a server", Promise.resolve(server), "a promise: await it first"],
    [
      "the options of a server",
      { name: "weather", version: "1.0.0", tools: {} },
      "an object with name, version, tools",
    ],
    ["an empty object", {}, "an object"],
    ["an instance of another class", new Map(), "a Map"],
  ];
  const SERVING: readonly (readonly [call: string, serve: (given: never) => unknown])[] = [
    ["serveHttp(server, { port: 3000 })", (given) => serveHttp(given)],
    ["createNodeHandler(server)", (given) => createNodeHandler(given)],
    ["createHttpHandler(server)", (given) => createHttpHandler(given)],
    ["serveWebSocket(server, { port: 3000 })", (given) => serveWebSocket(given, { port: 0 })],
    [
      "serveStdio(server)",
      (given) => serveStdio(given, { input: new PassThrough(), output: new PassThrough(), exit: false }),
    ],
    ["serveChannel(server, channel)", (given) => serveChannel(given, createMemoryChannels()[0])],
  ];
  const cases = SERVING.flatMap(([call, serve]) =>
    NO_SERVERS.map(([what, given, shown]) => ({ call, serve, what, given, shown })),
  );

  test.each(cases)("$call with $what in place of a server", async ({ call, serve, given, shown }) => {
    await expect(async () => serve(given as never)).rejects.toMatchObject({
      name: "UsageError",
      code: "INVALID_ARGUMENT",
      message: `The server comes first, as in ${call}: make it with createServer(). What was given is ${shown}.`,
    });
  });

  const WITH_OPTIONS: readonly (readonly [call: string, serve: (options: never) => unknown])[] = [
    ["serveHttp", (options) => serveHttp(server, options)],
    ["createNodeHandler", (options) => createNodeHandler(server, options)],
    ["createHttpHandler", (options) => createHttpHandler(server, options)],
    ["serveStdio", (options) => serveStdio(server, options)],
    ["serveChannel", (options) => serveChannel(server, createMemoryChannels()[0], options)],
    ["rateLimit", (options) => rateLimit(options)],
    ["timeLimit", (options) => timeLimit(options)],
    ["sanitizeOutput", (options) => sanitizeOutput(options)],
    ["createMemoryEventStore", (options) => createMemoryEventStore(options)],
  ];

  test.each(
    WITH_OPTIONS.flatMap(([call, serve]) => [3000, "3000", null, [3000]].map((given) => ({ call, serve, given }))),
  )("$call takes no $given for options", async ({ call, serve, given }) => {
    await expect(async () => serve(given as never)).rejects.toMatchObject({
      name: "UsageError",
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(new RegExp(`^options of ${call} must be an object.*; got .*\\.$`)),
    });
  });

  test.each([undefined, {}, "pipe", { open() {} }])("serveChannel takes no %j for a channel", (channel) => {
    expect(() => serveChannel(server, channel as never)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^`channel` must be .*`open`, `send` and `close`; got /),
      }),
    );
  });

  test.each([
    ["a request of node:http, as Express passes it", new IncomingMessage(new Socket())],
    ["nothing", undefined],
    ["a URL", "http://127.0.0.1/mcp"],
  ])("createHttpHandler does not answer %s, and says what does", async (_what, request) => {
    await expect(createHttpHandler(server).fetch(request as never)).rejects.toMatchObject({
      name: "UsageError",
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^fetch\(\) takes a web `Request`.*use createNodeHandler/),
    });
  });

  test.each([
    ["a web request", [new Request("http://127.0.0.1/mcp")]],
    ["request and reply of Fastify", [{ raw: new IncomingMessage(new Socket()) }, { raw: {}, send() {} }]],
    ["nothing", []],
  ])("createNodeHandler does not answer %s, and says what does", (_what, given) => {
    const handle = createNodeHandler(server) as (...args: unknown[]) => void;
    expect(() => handle(...given)).toThrow(
      expect.objectContaining({
        name: "UsageError",
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(
          /^The handler takes a request and a response of node:http.*request\.raw and reply\.raw.*createHttpHandler/,
        ),
      }),
    );
  });
});
