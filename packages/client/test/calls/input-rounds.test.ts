import { connect, type ClientOptions } from "@toolwire/client";
import { RpcError, type ElicitFormParams } from "@toolwire/protocol";
import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { exchangeServer } from "../exchange-server.ts";
import { legacyServer, modernServer, type Fields, type Script } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";

const NAME_FORM = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Who are you?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
};
const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 },
};

async function connected(script: Script, options: ClientOptions = {}) {
  const server = modernServer(script);
  const client = await connect(server.channel, {
    elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    ...options,
  });
  return { server, client };
}

/** Answers the first time with questions, then with the answers it got. */
function askOnce(inputRequests: object | undefined, requestState?: string) {
  return (params: Fields): object => {
    const given = params as { inputResponses?: object; requestState?: string };
    if (given.inputResponses === undefined && given.requestState === undefined) {
      return {
        resultType: "input_required",
        ...(inputRequests && { inputRequests }),
        ...(requestState !== undefined && { requestState }),
      };
    }
    return { resultType: "complete", content: [], structuredContent: given.inputResponses ?? {} };
  };
}

describe("a server that asks", () => {
  test("gets its answers with the same request under a new id, and its notes byte for byte", async () => {
    const state = '  {"opaque": "\\u00e9\\n"}\t=';
    const { server, client } = await connected({ "tools/call": askOnce({ who: NAME_FORM }, state) });
    const result = await client.callTool("greet", { loud: true });
    expect(result.structuredContent).toEqual({ who: { action: "accept", content: { name: "Ada" } } });
    const [first, second] = server.requests("tools/call");
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({
      name: "greet",
      arguments: { loud: true },
      inputResponses: { who: { action: "accept", content: { name: "Ada" } } },
      requestState: state,
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    });
    await client.close();
  });

  test("gets no notes back if it gave none", async () => {
    const { server, client } = await connected({ "tools/call": askOnce({ who: NAME_FORM }) });
    await client.callTool("greet");
    expect(server.requests("tools/call")[1]?.params).not.toHaveProperty("requestState");
    await client.close();
  });

  test("may ask nothing but to be called again", async () => {
    const { server, client } = await connected({
      "prompts/get": (params) =>
        "requestState" in params ? { messages: [] } : { resultType: "input_required", requestState: "" },
    });
    await expect(client.getPrompt("p")).resolves.toEqual({ messages: [] });
    expect(server.requests("prompts/get")[1]?.params).toMatchObject({ requestState: "" });
    expect(server.requests("prompts/get")[1]?.params).not.toHaveProperty("inputResponses");
    await client.close();
  });

  test("may ask for several things at once, which are answered side by side", async () => {
    let open = 0;
    const allOpen = withResolvers<void>();
    const during = async <T>(value: T): Promise<T> => {
      if (++open === 3) allOpen.resolve();
      await allOpen.promise;
      return value;
    };
    const { client } = await connected(
      {
        "resources/read": (params) =>
          "inputResponses" in params
            ? { contents: [{ uri: "a://b", text: JSON.stringify(params["inputResponses"]) }] }
            : { resultType: "input_required", inputRequests: { a: NAME_FORM, b: SAMPLE, c: { method: "roots/list" } } },
      },
      {
        elicitation: () => during({ action: "decline" as const }),
        sampling: () =>
          during({ role: "assistant" as const, content: { type: "text" as const, text: "Hello" }, model: "m" }),
        roots: () => during([{ uri: "file:///work" }]),
      },
    );
    const { contents } = await client.readResource("a://b");
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual({
      a: { action: "decline" },
      b: { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" },
      c: { roots: [{ uri: "file:///work" }] },
    });
    expect(open).toBe(3);
    await client.close();
  });

  test("may use __proto__ as a key", async () => {
    const inputRequests = JSON.parse(`{"__proto__":${JSON.stringify(NAME_FORM)}}`) as object;
    const { server, client } = await connected({ "tools/call": askOnce(inputRequests) });
    await client.callTool("greet");
    const { inputResponses } = server.requests("tools/call")[1]!.params as { inputResponses: object };
    expect(Object.keys(inputResponses)).toEqual(["__proto__"]);
    await client.close();
  });

  test("may ask again and again, up to the bound on rounds", async () => {
    const ask = { resultType: "input_required", inputRequests: { who: NAME_FORM } };
    const { server, client } = await connected({ "tools/call": ask }, { maxRounds: 3 });
    await expect(client.callTool("greet")).rejects.toMatchObject({ code: "TOO_MANY_ROUNDS" });
    expect(server.requests("tools/call")).toHaveLength(4);
    await client.close();
  });

  test("is given only the latest answers and notes in each round", async () => {
    const { server, client } = await connected(
      {
        "tools/call": (params) => {
          const { requestState } = params as { requestState?: string };
          if (requestState === undefined) {
            return { resultType: "input_required", inputRequests: { a: NAME_FORM }, requestState: "1" };
          }
          if (requestState === "1") return { resultType: "input_required", inputRequests: { b: NAME_FORM } };
          return { content: [] };
        },
      },
      { maxRounds: 2 },
    );
    await expect(client.callTool("greet")).rejects.toMatchObject({ code: "TOO_MANY_ROUNDS" });
    const third = server.requests("tools/call")[2]?.params as { inputResponses: object };
    expect(Object.keys(third.inputResponses)).toEqual(["b"]);
    expect(third).not.toHaveProperty("requestState");
    await client.close();
  });

  test("has no effect on other calls", async () => {
    const { server, client } = await connected({
      "tools/call": (params) => {
        const { name } = params as { name?: string };
        return name === "asking" ? askOnce({ who: NAME_FORM }, "secret")(params) : { content: [] };
      },
    });
    await Promise.all([
      client.callTool("asking"),
      client.callTool("plain"),
      client.callTool("asking"),
      client.callTool("plain"),
    ]);
    for (const { params } of server.requests("tools/call")) {
      if ((params as { name: string }).name === "plain") {
        expect(params).not.toHaveProperty("requestState");
        expect(params).not.toHaveProperty("inputResponses");
      }
    }
    await client.close();
  });
});

describe("malformed input requests", () => {
  test.each([
    ["nothing at all", {}, "must have `inputRequests` or `requestState`"],
    ["a list", { inputRequests: [] }, "`inputRequests` must be an object"],
    ["notes that are no text", { requestState: 1 }, "`requestState` must be a string"],
    ["a question without a method", { inputRequests: { a: {} } }, "`inputRequests.a` must have a `method`"],
    ["invalid parameters", { inputRequests: { a: { method: "roots/list", params: 1 } } }, "an object as `params`"],
    ["what was never declared", { inputRequests: { a: SAMPLE } }, "not served by this client"],
    [
      "a mode that was never declared",
      { inputRequests: { a: { method: "elicitation/create", params: { mode: "url", url: "https://x" } } } },
      "has not declared elicitation in mode",
    ],
    [
      "an invalid form",
      {
        inputRequests: {
          a: { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "string" } } },
        },
      },
      "`requestedSchema`",
    ],
    [
      "too much",
      { inputRequests: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, NAME_FORM])) },
      "no more than 100 questions at once",
    ],
  ])("%s is refused", async (_, asked, problem) => {
    const { client } = await connected({ "tools/call": { resultType: "input_required", ...asked } });
    const call = client.callTool("t");
    await expect(call).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining(problem) as string,
    });
    await expect(call).rejects.toThrow("tools/call");
    await client.close();
  });

  test("a question in answer to anything but tools/call, prompts/get and resources/read is refused", async () => {
    const { client } = await connected({ "tools/list": { resultType: "input_required", requestState: "x" } });
    await expect(client.listTools()).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await client.close();
  });
});

describe("handlers", () => {
  test("are told who asks, on behalf of what", async () => {
    const seen: unknown[] = [];
    const { client } = await connected(
      { "tools/call": askOnce({ who: NAME_FORM }) },
      {
        elicitation: (form: ElicitFormParams, context) => {
          seen.push(form.message, context.server, context.request?.method, context.signal.aborted);
          return { action: "cancel" };
        },
      },
    );
    await client.callTool("greet");
    expect(seen).toEqual(["Who are you?", { name: "modern", version: "1.0.0" }, "tools/call", false]);
    await client.close();
  });

  test("reject the call if they fail, and tell the other handlers to stop", async () => {
    let stopped: AbortSignal | undefined;
    const { server, client } = await connected(
      { "tools/call": { resultType: "input_required", inputRequests: { a: NAME_FORM, b: SAMPLE } } },
      {
        elicitation: (_, { signal }) => {
          stopped = signal;
          return new Promise(() => {});
        },
        sampling: () => {
          throw new RpcError(-1, "User rejected sampling request");
        },
      },
    );
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -1 });
    expect(stopped?.aborted).toBe(true);
    expect(server.requests("tools/call")).toHaveLength(1);
    await client.close();
  });

  test("leave nothing behind at a signal that outlives their call, as what Node makes of several signals does", async () => {
    const any = vi.spyOn(AbortSignal, "any");
    onTestFinished(() => any.mockRestore());
    const { signal } = new AbortController();
    const { client } = await connected({ "tools/call": askOnce({ who: NAME_FORM, again: NAME_FORM }) });
    await client.callTool("greet", {}, { signal });
    expect(any).not.toHaveBeenCalled();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await client.close();
  });

  test("are not waited for when the call is cancelled", async () => {
    const stop = new AbortController();
    const { client } = await connected(
      { "tools/call": { resultType: "input_required", inputRequests: { a: NAME_FORM } } },
      {
        elicitation: (_, { signal }) => {
          queueMicrotask(() => stop.abort(new Error("never mind")));
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ action: "cancel" })));
        },
      },
    );
    await expect(client.callTool("t", {}, { signal: stop.signal })).rejects.toThrow("never mind");
    await client.close();
  });

  test("a handler is not called if its call is cancelled in the turn in which the question arrives", async () => {
    const stop = new AbortController();
    const elicitation = vi.fn(() => ({ action: "cancel" as const }));
    const asked = { resultType: "input_required", inputRequests: { a: NAME_FORM } };
    const server = exchangeServer({
      "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
      "tools/call": ({ request: { id }, sink }) => {
        sink.response({ jsonrpc: "2.0", id, result: asked });
        stop.abort(new Error("never mind"));
        return undefined;
      },
    });
    const client = await connect(server, { elicitation });
    await expect(client.callTool("t", {}, { signal: stop.signal })).rejects.toThrow("never mind");
    expect(elicitation).not.toHaveBeenCalled();
    await client.close();
  });
});

describe("closing the client", () => {
  const PAGE = { mode: "url", url: "https://example.com/", elicitationId: "1", message: "Go there" };

  test.each([
    ["a modern server", () => modernServer({ "tools/call": askOnce({ who: NAME_FORM }) })],
    [
      "a legacy server",
      () =>
        legacyServer({
          "tools/call": () => {
            throw new RpcError(-32042, "Visit first", { data: { elicitations: [PAGE] } });
          },
        }),
    ],
  ])("ends calls for which a person is being asked something by %s, and tells who asks", async (_, make) => {
    const asked = withResolvers<AbortSignal>();
    const ask = (__: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
      asked.resolve(signal);
      return new Promise(() => {});
    };
    const client = await connect(make().channel, { elicitation: { form: ask, url: ask } });
    const call = client.callTool("t");
    const signal = await asked.promise;
    await client.close();
    await expect(call).rejects.toMatchObject({ code: "CLOSED" });
    expect(signal.aborted).toBe(true);
  });
});

test("capabilities follow from the handlers, and what the application adds", async () => {
  const declared = async (options: ClientOptions) => {
    const server = modernServer();
    const client = await connect(server.channel, options);
    await client.close();
    const meta = (server.requests("server/discover")[0]!.params as { _meta: Record<string, unknown> })._meta;
    return meta["io.modelcontextprotocol/clientCapabilities"];
  };
  const form = () => ({ action: "cancel" as const });
  const createMessage = () => ({ role: "assistant" as const, content: [], model: "m" });
  expect(await declared({})).toEqual({});
  expect(await declared({ elicitation: form })).toEqual({ elicitation: { form: {} } });
  expect(await declared({ elicitation: { url: form } })).toEqual({ elicitation: { url: {} } });
  expect(await declared({ elicitation: { form, url: form }, roots: [] })).toEqual({
    elicitation: { form: {}, url: {} },
    roots: {},
  });
  expect(await declared({ sampling: createMessage })).toEqual({ sampling: {} });
  expect(await declared({ sampling: { createMessage, tools: true, context: true } })).toEqual({
    sampling: { tools: {}, context: {} },
  });
  expect(await declared({ capabilities: { extensions: { "com.example/x": {} } } })).toEqual({
    extensions: { "com.example/x": {} },
  });
});
