import { createServer as createHttpServer } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createMemoryChannels, serveChannel } from "../../src/channel/index.ts";
import { createHttpHandler, createMemoryEventStore } from "../../src/http/index.ts";
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
import { createNodeHandler, serveHttp } from "../../src/node/index.ts";
import { serveStdio } from "../../src/stdio/index.ts";
import { serveWebSocket, type ServeWebSocketOptions } from "../../src/websocket/index.ts";

const define = (options: Partial<ServerOptions>): unknown => createServer({ name: "o", version: "1", ...options });
const server = createServer({ name: "o", version: "1" });

/** Values that no limit and no duration can have. */
const NUMBERS = [-1, Number.NaN, "5", null];

/** What JSON cannot hold, such as the application of a framework. */
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
  ...["maxBodyBytes", "keepAliveInterval", "maxQueuedBytes", "maxInFlight", "maxInFlightPerClient", "retryDelay"].map(
    (option) => numbers(option, [0, 1.5, -Infinity, ...NUMBERS]),
  ),
  numbers("closeTimeout"),
  ["responseMode", ["json", "SSE", true, null], (value) => ({ responseMode: value })],
  ["path", ["mcp", "", "/mcp?x"], (value) => ({ path: value })],
  ["sessions", ["false", 5, true, null], (value) => ({ sessions: value })],
  ["sessions.max", [0, -1, Number.NaN], (max) => ({ sessions: { max } })],
  ["sessions.idleTimeout", [0, -1, Number.NaN], (idleTimeout) => ({ sessions: { idleTimeout } })],
  ["sessions.maxStreams", [0, -1, Number.NaN], (maxStreams) => ({ sessions: { maxStreams } })],
  [
    "eventStore",
    [true, "memory", {}, null, { append() {} }, { append() {}, after: () => [] }],
    (value) => ({ eventStore: value }),
  ],
  ["legacySse", ["/sse", 1, [], null], (value) => ({ legacySse: value })],
  ["legacySse.streamPath", ["sse"], (streamPath) => ({ legacySse: { streamPath } })],
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
  serveStdio(server, { input: new PassThrough(), output: new PassThrough(), ...options });

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
        ...["tools", "resources", "prompts", "extensions", "experimental", "cache"].map((option) =>
          numbers(option, [[], new Map(), new Set(), "t", 1, null]),
        ),
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
        numbers("maxInFlightPerClient"),
        numbers("keepAliveInterval"),
      ],
    ],
    [
      "serveWebSocket on a server that exists",
      (options) => serveWebSocket(server, { server: createHttpServer(), ...options }),
      [...ADMISSION, ...PIPE],
    ],
    ["serveStdio", stdio, [...PIPE, ["onClose", ["later", {}], (value) => ({ onClose: value })]]],
    [
      "serveChannel",
      (options) => serveChannel(server, createMemoryChannels()[0], options),
      [
        ["principal", ["ada", {}, { id: "" }, { id: 5 }], (value) => ({ principal: value })],
        numbers("maxInFlight", [0, -1, Number.NaN, null, {}]),
        numbers("closeTimeout", [-1, Number.NaN]),
      ],
    ],
    [
      "createMemoryEventStore",
      (options) => createMemoryEventStore(options),
      ["max", "maxPerSession", "maxAge"].map((option) => numbers(option, [0, -1, Number.NaN])),
    ],
    [
      "rateLimit",
      (options) => rateLimit({ limit: 1, ...options }),
      [
        ...["limit", "window", "maxCallers"].map((option) => numbers(option, [0, -1, Number.NaN])),
        ["methods", ["tools/call", 1], (value) => ({ methods: value })],
        ["caller", ["id"], (value) => ({ caller: value })],
        ["now", [0], (value) => ({ now: value })],
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
      message: expect.stringMatching(new RegExp(`${option.replace(".", "\\.")} is .*, but must be .*\\.$`)),
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

  test("rateLimit: a window without an end is none", () => {
    expect(() => rateLimit({ limit: 1, window: Infinity })).toThrow("window is Infinity, but must be a whole number");
  });

  test.each([
    ["auditLog", () => auditLog(undefined as never)],
    ["accessControl", () => accessControl({} as never)],
  ])("%s takes a function", (_name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("createServer says that a map will not do, which shows as an empty object", () => {
    const tools = new Map() as never;
    expect(() => createServer({ name: "s", version: "1", tools })).toThrow(
      "tools is {}, but must be a plain object, no list or map.",
    );
  });

  test("serveWebSocket says where it could listen, if it is not told", async () => {
    await expect(serveWebSocket(server, undefined as never)).rejects.toThrow("an object with a `port`, or a `server`");
    await expect(serveWebSocket(server, {} as never)).rejects.toThrow("port is undefined, but must be a whole number");
  });
});
