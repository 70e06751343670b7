import { approval, connect, UsageError, type Client, type ClientOptions } from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "./transports/http/listen.ts";
import { modernServer } from "./scripted-server.ts";

/** As seen from JavaScript, where no compiler objects. */
const connectAnyhow = connect as (...given: readonly unknown[]) => Promise<Client>;

/** A target that must not be touched: mistakes are found before anything is opened. */
function untouchable(): never {
  throw new Error("opened");
}

describe("connect() says at once what is wrong with", () => {
  const FORMS =
    "A target is a URL (http, https, ws, wss), { command, args }, a transport, or a function that makes one: " +
    "connect(target, options).";

  test.each([
    [undefined, "There is no target."],
    [null, "There is no target."],
    [3000, "It is a number."],
    [[1, 2], "It is an array."],
    [{}, "It is an object of another kind."],
    [new Map(), "It is a Map."],
    [{ send() {} }, "A transport has `open` and `close`, too; this object does not."],
  ])("the target %j", async (target, mistake) => {
    await expect(connectAnyhow(target)).rejects.toThrow(new UsageError("INVALID_ARGUMENT", `${mistake} ${FORMS}`));
  });

  test.each([
    [undefined, "The function returned nothing, and no transport."],
    [{}, "It is an object of another kind."],
    ["http://127.0.0.1/", "The function returned a string, and no transport."],
  ])("a target that makes %j", async (made, mistake) => {
    await expect(connectAnyhow(() => made)).rejects.toThrow(new UsageError("INVALID_ARGUMENT", `${mistake} ${FORMS}`));
  });

  test.each<[options: object, message: string]>([
    [{ era: "old" }, '`era` must be "modern" or "legacy"; got "old".'],
    [{ revision: "2025-01-01" }, "`revision` must be one of 2026-07-28, 2025-11-25,"],
    [{ info: "my-app" }, '`info` must be { name, version }, both strings; got "my-app".'],
    [{ info: { name: "my-app" } }, "`info` must be { name, version }, both strings; got an object."],
    [{ signal: new AbortController() }, "`signal` must be an AbortSignal, such as the `signal` of an AbortController"],
    [{ timeout: "10s" }, '`timeout` must be a number of milliseconds, at least 0, or Infinity; got "10s".'],
    [{ timeout: Number.NaN }, "or Infinity; got NaN."],
    [{ maxTimeout: -1 }, "`maxTimeout` must be a number of milliseconds, at least 0, or Infinity; got -1."],
    [
      { connectTimeout: null },
      "`connectTimeout` must be a number of milliseconds, at least 0, or Infinity; got nothing.",
    ],
    [{ probeTimeout: {} }, "`probeTimeout` must be a number of milliseconds, at least 0, or Infinity; got an object."],
    [{ maxRounds: Number.NaN }, "`maxRounds` must be a whole number of at least 0, or Infinity; got NaN."],
    [{ maxRounds: -1 }, "`maxRounds` must be a whole number of at least 0, or Infinity; got -1."],
    [
      { http: { maxMessageBytes: "16 MB" } },
      '`maxMessageBytes` must be a whole number of bytes, at least 1, or Infinity; got "16 MB".',
    ],
    [
      { http: { maxMessageBytes: 0 } },
      "`maxMessageBytes` must be a whole number of bytes, at least 1, or Infinity; got 0.",
    ],
    [{ websocket: { maxMessageBytes: Number.NaN } }, "at least 1, or Infinity; got NaN."],
    [
      { reconnect: { attempts: Number.NaN } },
      "`reconnect` must be false, or { attempts, delay, maxDelay }, each 0 or more; got an object.",
    ],
    [
      { reconnect: { delay: -1 } },
      "`reconnect` must be false, or { attempts, delay, maxDelay }, each 0 or more; got an object.",
    ],
    [
      { reconnect: { maxDelay: "1m" } },
      "`reconnect` must be false, or { attempts, delay, maxDelay }, each 0 or more; got an object.",
    ],
    [{ reconnect: true }, "0 or more; got true."],
    [{ memory: true }, "`memory` must be { get, set, delete }, each a function, or false; got true."],
    [{ memory: { get() {} } }, "`memory` must be { get, set, delete }"],
    [{ cache: true }, "`cache` must be { principal, store }, or false; got true."],
    [{ cache: { store: new Map() } }, "`store` must be { get, set, drop }, each a function; got an object (Map)."],
    [{ middleware: () => {} }, "`middleware` must be an array of functions; got a function."],
    [{ middleware: [undefined] }, "`middleware` must be an array of functions; got an array."],
    [{ elicitation: true }, "`elicitation` must be a function, or { form, url } with a function for each; got true."],
    [{ elicitation: { form: "yes" } }, "`elicitation` must be a function, or { form, url }"],
    [{ sampling: { createMessage: {} } }, "`sampling` must be a function, or { createMessage } with a function"],
    [{ roots: "file:///home" }, "`roots` must be an array of { uri, name }, or a function that returns one"],
    [{ http: { headers: null } }, "`headers` must be an object, or a function that returns one; got nothing."],
    [
      { websocket: { headers: "Bearer token" } },
      "`headers` must be an object, or a function that returns one; got a string.",
    ],
    [
      { http: { headers: ["authorization: x"] } },
      "`headers` must be an object, or a function that returns one; got an array.",
    ],
    [{ http: { fetch: "undici" } }, "`fetch` must be a function"],
    [{ http: "fast" }, '`http` must be an object; got "fast".'],
    [{ websocket: [] }, "`websocket` must be an object; got an array."],
    [{ capabilities: ["roots"] }, "`capabilities` must be an object; got an array."],
    [{ validate: "yes" }, '`validate` must be true, false or "always"; got "yes".'],
    [{ validator: {} }, "`validator` must be { compile } with a function; got an object."],
    [{ logLevel: "warn" }, "`logLevel` must be one of debug, info, notice, warning,"],
    [{ onLog: console }, "`onLog` must be a function; got an object (console)."],
    [{ onNotification: 1 }, "`onNotification` must be a function; got 1."],
    [{ onDiagnostic: false }, "`onDiagnostic` must be a function; got false."],
  ])("%j: %s", async (options, message) => {
    await expect(connectAnyhow(untouchable, options)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as string,
    });
  });

  describe("options that the target has no use for", () => {
    const own = { http: { headers: { authorization: "x" } }, websocket: { maxMessageBytes: 1000 } };
    const command = { command: process.execPath, args: ["-e", "throw new Error('started')"] };
    test.each<[string, keyof typeof own, unknown]>([
      ["a command", "http", command],
      ["a command", "websocket", command],
      ["a transport", "http", modernServer().channel],
      ["a transport", "websocket", modernServer().channel],
      ["a function that makes one", "http", untouchable],
      ["a function that makes one", "websocket", untouchable],
    ])("%s: `%s`", async (_, name, target) => {
      const error: unknown = await connectAnyhow(target, { [name]: own[name] }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
      expect((error as Error).message).toContain(`The option \`${name}\` is of no use to this target.`);
    });
  });

  test.each([
    ["headers", { authorization: "x" }, "{ http: { headers } } or { websocket: { headers } }"],
    ["fetch", fetch, "{ http: { fetch } }"],
    ["maxMessageBytes", 1000, "{ http: { maxMessageBytes } } or { websocket: { maxMessageBytes } }"],
  ])("the option `%s` of a transport outside of its group", async (name, value, place) => {
    await expect(connectAnyhow("http://127.0.0.1:1/mcp", { [name]: value })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(place) as string,
    });
  });

  test("no options that are null, as they may well be left out", async () => {
    const client = await connectAnyhow(modernServer().channel, null);
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("no cache that is null, which means no cache", async () => {
    const client = await connectAnyhow(modernServer().channel, { cache: null });
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("no memory that is null, which means no memory", async () => {
    const { url } = await listen(({ message }, response) => {
      const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result });
    });
    const client = await connectAnyhow(url, { memory: null });
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("no option that is right, or not given", async () => {
    const client = await connectAnyhow(modernServer().channel, {
      info: { name: "my-app", version: "1.0.0", title: "Mine" },
      era: undefined,
      revision: "2026-07-28",
      signal: new AbortController().signal,
      timeout: Infinity,
      maxTimeout: undefined,
      connectTimeout: 30_000,
      maxRounds: 0,
      capabilities: {},
      validate: "always",
      validator: { compile: () => () => ({ ok: true }) },
      logLevel: "warning",
      reconnect: { attempts: Infinity, delay: undefined },
      middleware: [],
      elicitation: { form: () => ({ action: "cancel" }), url: undefined },
      sampling: { createMessage: () => ({}), tools: true },
      roots: [],
    });
    expect(client.era).toBe("modern");
    await client.close();
  });
});

describe("a call without the name of what it is for is not sent", () => {
  test.each([
    ["callTool", undefined, "`callTool` takes the name of a tool first: callTool(name, args, options); got nothing."],
    ["callTool", { name: "t", arguments: {} }, "callTool(name, args, options); got an object."],
    ["getPrompt", 1, "`getPrompt` takes the name of a prompt first: getPrompt(name, args, options); got 1."],
    ["readResource", {}, "`readResource` takes a URI, a string, first: readResource(uri, options); got an object."],
  ] as const)("%s(%j)", async (method, given, message) => {
    const server = modernServer();
    const client = await connect(server.channel);
    const call = client[method].bind(client) as (name: unknown) => Promise<unknown>;
    await expect(call(given)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as string,
    });
    expect(server.received).toHaveLength(1);
    await client.close();
  });
});

describe("a call with an invalid option is not sent, and nothing is sent on its behalf", () => {
  const MISTAKES: readonly [options: object, message: string][] = [
    [{ timeout: Number.NaN }, "`timeout` must be a number of milliseconds, at least 0, or Infinity; got NaN."],
    [{ timeout: -1 }, "`timeout` must be a number of milliseconds, at least 0, or Infinity; got -1."],
    [{ maxTimeout: Number.NaN }, "`maxTimeout` must be a number of milliseconds, at least 0, or Infinity; got NaN."],
    [{ signal: new AbortController() }, "`signal` must be an AbortSignal, such as the `signal` of an AbortController"],
    [{ signal: { aborted: false } }, "`signal` must be an AbortSignal, such as the `signal` of an AbortController"],
    [{ signal: null }, "`signal` must be an AbortSignal, such as the `signal` of an AbortController; got nothing."],
    [{ onProgress: console }, "`onProgress` must be a function; got an object (console)."],
    [{ onLog: true }, "`onLog` must be a function; got true."],
    [{ logLevel: "warn" }, "`logLevel` must be one of debug, info,"],
    [{ _meta: "trace" }, '`_meta` must be an object with values by name; got "trace".'],
    [
      { _meta: new Map([["com.example/key", 1]]) },
      "`_meta` must be an object with values by name; got an object (Map).",
    ],
    [{ resultTypes: "task" }, '`resultTypes` must be an array of strings; got "task".'],
    [{ resultTypes: [1] }, "`resultTypes` must be an array of strings; got an array."],
    [null as never, "`options` must be an object; got nothing."],
    [10_000 as never, "`options` must be an object; got 10000."],
    [{ validate: "no" }, '`validate` must be true, false or "always"; got "no".'],
  ];
  test.each<[when: string, options: ClientOptions]>([
    ["at all", {}],
    ["before its tool is looked up", { validate: "always" }],
    ["before its tool is looked up for whoever has to approve of it", { middleware: [approval(() => true)] }],
  ])("%s", async (_, options) => {
    const server = modernServer();
    const client = await connect(server.channel, options);
    for (const [mistake, message] of MISTAKES) {
      await expect(client.callTool("t", {}, mistake)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(message) as string,
      });
    }
    expect(server.received).toHaveLength(1);
    await client.close();
  });
});

describe("arguments over HTTP", () => {
  /** A server that says of each tool and prompt what arguments it was asked with. */
  async function connected() {
    const { url, seen } = await listen(({ message }, response) => {
      const text = JSON.stringify(message!.params?.["arguments"]);
      const result =
        message!.method === "server/discover"
          ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, prompts: {} } }
          : { content: [{ type: "text", text }], messages: [{ role: "user", content: { type: "text", text } }] };
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result: { resultType: "complete", ...result } });
    });
    const client = await connect(url);
    onTestFinished(() => client.close());
    return { client, seen };
  }

  test.each<[args: unknown, got: string]>([
    [["Oslo"], "an array"],
    ["Oslo", '"Oslo"'],
    [null, "nothing"],
    [1, "1"],
    [new Map([["city", "Oslo"]]), "an object (Map)"],
    [Promise.resolve({ city: "Oslo" }), "an object (Promise)"],
    [new Date(0), "an object (Date)"],
    [new URLSearchParams("city=Oslo"), "an object (URLSearchParams)"],
  ])("are not sent if they are no object: %o", async (args, got) => {
    const { client, seen } = await connected();
    const refusal = {
      code: "INVALID_ARGUMENT",
      message: `\`arguments\` must be an object with the arguments by name; got ${got}.`,
    };
    await expect(client.callTool("t", args as never)).rejects.toMatchObject(refusal);
    await expect(client.getPrompt("p", args as never)).rejects.toMatchObject(refusal);
    expect(seen).toHaveLength(1);
  });

  test("are sent as JSON writes them, whatever their class", async () => {
    const { client } = await connected();
    class City {
      readonly city = "Oslo";
    }
    class Place {
      toJSON(): object {
        return { city: "Oslo" };
      }
    }
    const bare = Object.assign(Object.create(null) as object, { city: "Oslo" });
    for (const args of [{ city: "Oslo" }, new City(), new Place(), bare]) {
      await expect(client.callTool("t", args as never)).resolves.toMatchObject({
        content: [{ text: '{"city":"Oslo"}' }],
      });
    }
  });
});

test("an invalid log level is not set", async () => {
  const server = modernServer();
  const client = await connect(server.channel);
  await expect(client.setLogLevel("warn" as never)).rejects.toThrow("`logLevel` must be one of debug, info,");
  expect(server.received).toHaveLength(1);
  await client.close();
});

test("a subscription that nobody listens to is not made", async () => {
  const server = modernServer();
  const client = await connect(server.channel);
  await expect(client.subscribe({ tools: true }, undefined as never)).rejects.toThrow(
    "`subscribe` takes a function that hears of changes second: subscribe(filter, listener); got nothing.",
  );
  expect(server.received).toHaveLength(1);
  await client.close();
});

describe("every method checks its arguments before anything is sent:", () => {
  const PROMPT = { type: "ref/prompt", name: "p" };
  const listener = (): void => {};

  test.each<[method: string, given: readonly unknown[], message: string]>([
    ["request", [], "`method` must be a string; got nothing."],
    ["request", [5], "`method` must be a string; got 5."],
    ["request", ["x/y", "text"], '`params` must be an object with values by name; got "text".'],
    ["request", ["x/y", [1]], "`params` must be an object with values by name; got an array."],
    [
      "request",
      ["x/y", Promise.resolve({})],
      "`params` must be an object with values by name; got an object (Promise).",
    ],
    ["notify", [], "`method` must be a string; got nothing."],
    ["notify", ["x/y", "text"], "`params` must be an object"],
    ["notify", ["x/y", {}, 5], "`options` must be an object; got 5."],
    ["notify", ["x/y", {}, { timeout: "1s" }], "`timeout` must be a number of milliseconds"],
    ["listTools", [{ cursor: 5 }], "`cursor` must be a string; got 5."],
    ["complete", [], "`ref` must be an object; got nothing."],
    ["complete", ["p", "a"], '`ref` must be an object; got "p".'],
    ["complete", [PROMPT], "`argument` must be an object; got nothing."],
    ["complete", [PROMPT, "a"], '`argument` must be an object; got "a".'],
    ["subscribe", [undefined, listener], "`filter` must be { tools, prompts, resources, uris }; got nothing."],
    ["subscribe", [{ uris: "a:b" }, listener], "`filter` must be { tools, prompts, resources, uris }; got an object."],
    ["subscribe", [{ uris: [1] }, listener], "`filter` must be"],
    ["subscribe", [{ tools: true }], "`subscribe` takes a function that hears of changes second"],
  ])("%s(...%j)", async (method, given, message) => {
    const server = modernServer();
    const client = await connectAnyhow(server.channel);
    onTestFinished(() => client.close());
    const call = (client as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[method]!;
    await expect(call.apply(client, [...given])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as string,
    });
    expect(server.received).toHaveLength(1);
  });
});
