import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../src/errors.ts";
import * as params from "../../src/internal.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Reader = (params: unknown) => unknown;

const READERS: { readonly [method: string]: Reader } = {
  "tools/call": params.readCallToolParams,
  "prompts/get": params.readGetPromptParams,
  "resources/read": params.readReadResourceParams,
  "tools/list": params.readListParams,
  "completion/complete": params.readCompleteParams,
  "subscriptions/listen": params.readListenParams,
  initialize: params.readInitializeParams,
  "logging/setLevel": params.readSetLevelParams,
  "resources/subscribe": params.readSubscribeParams,
};

const META_READERS: { readonly [name: string]: Reader } = {
  readRequestMeta: params.readRequestMeta,
  readProtocolVersion: params.readProtocolVersion,
  claimsModernEra: params.claimsModernEra,
};

const ref = { type: "ref/prompt", name: "p" };
const argument = { name: "a", value: "" };
const clientInfo = { name: "c", version: "1" };

describe("good parameters are returned as they are", () => {
  test.each([
    ["tools/call", { name: "t" }],
    ["tools/call", { name: "t", arguments: {}, _meta: meta, requestState: "", inputResponses: { a: {} }, "x/y": 1 }],
    ["tools/call", { name: "t", arguments: JSON.parse('{"__proto__":{"a":1}}') as object }],
    ["prompts/get", { name: "p" }],
    ["prompts/get", { name: "p", arguments: { a: "b" } }],
    ["resources/read", { uri: "" }],
    ["tools/list", {}],
    ["tools/list", { cursor: "" }],
    ["completion/complete", { ref, argument }],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "a:{b}" }, argument, context: { arguments: { a: "b" } } },
    ],
    ["completion/complete", { ref, argument, context: {} }],
    ["subscriptions/listen", { notifications: {} }],
    ["subscriptions/listen", { notifications: { toolsListChanged: false, resourceSubscriptions: ["a:b"] } }],
    ["initialize", { protocolVersion: "2025-11-25", clientInfo, capabilities: { roots: { listChanged: true } } }],
    ["logging/setLevel", { level: "notice" }],
    ["resources/subscribe", { uri: "a:b" }],
  ])("%s %j", (method, given) => {
    expect(READERS[method]?.(given)).toBe(given);
  });

  test("lists may be asked for without any", () => {
    expect(params.readListParams(undefined)).toEqual({});
  });

  test.each([
    [
      "tools/call",
      { name: "t", arguments: null, _meta: null, requestState: null, inputResponses: null },
      { name: "t" },
    ],
    ["tools/list", { cursor: null }, {}],
    ["prompts/get", { name: "p", arguments: null }, { name: "p" }],
    ["completion/complete", { ref, argument, context: null }, { ref, argument }],
  ])("%s %j: what is null is left out, and stays in what was given", (method, given, expected) => {
    const before = structuredClone(given);
    expect(READERS[method]?.(given)).toEqual(expected);
    expect(given).toEqual(before);
  });

  test("a hundred thousand that are null are left out in one go", () => {
    const given = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, null]));
    expect(READERS["tools/list"]?.(given)).toEqual({});
  });
});

describe("bad parameters are refused with what is wrong", () => {
  test.each([
    ["tools/call", undefined, "`params` must be an object, but is missing"],
    ["tools/call", [], "`params` must be an object, but is an array"],
    ["tools/call", {}, "`name` must be a string, but is missing"],
    ["tools/call", { name: 5 }, "`name` must be a string, but is a number"],
    ["tools/call", JSON.parse('{"__proto__":{"name":"t"}}'), "`name` must be a string, but is missing"],
    ["tools/call", { name: "t", arguments: [1] }, "`arguments` must be an object, but is an array"],
    ["tools/call", { name: "t", _meta: "x" }, "`_meta` must be an object, but is a string"],
    ["tools/call", { name: "t", requestState: {} }, "`requestState` must be a string, but is an object"],
    [
      "tools/call",
      { name: "t", inputResponses: { a: true } },
      "`inputResponses.*` must be an object, but is a boolean",
    ],
    ["prompts/get", { name: "p", arguments: { a: 1 } }, "`arguments.*` must be a string, but is a number"],
    ["resources/read", { uri: null }, "`uri` must be a string, but is missing"],
    ["tools/list", null, "`params` must be an object, but is null"],
    ["tools/list", { cursor: 1 }, "`cursor` must be a string, but is a number"],
    [
      "completion/complete",
      { ref: {}, argument },
      "`ref.type` must be one of ref/prompt, ref/resource, but is missing",
    ],
    ["completion/complete", { ref: { type: "x" }, argument }, "ref/resource, but is another string"],
    ["completion/complete", { ref: { type: "ref/resource" }, argument }, "`ref.uri` must be a string"],
    ["completion/complete", { ref, argument: { name: "a" } }, "`argument.value` must be a string, but is missing"],
    [
      "completion/complete",
      { ref, argument, context: { arguments: { a: 1 } } },
      "`context.arguments.*` must be a string",
    ],
    ["subscriptions/listen", {}, "`notifications` must be an object, but is missing"],
    [
      "subscriptions/listen",
      { notifications: { toolsListChanged: 1 } },
      "`notifications.toolsListChanged` must be true",
    ],
    [
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: "a" } },
      "must be an array of strings, but is a str",
    ],
    [
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: [1] } },
      "`notifications.resourceSubscriptions[]`",
    ],
    ["initialize", { clientInfo, capabilities: {} }, "`protocolVersion` must be a string, but is missing"],
    ["initialize", { protocolVersion: "1", clientInfo: { name: "c" }, capabilities: {} }, "`clientInfo.version` must"],
    [
      "initialize",
      { protocolVersion: "1", clientInfo, capabilities: { roots: true } },
      "`capabilities.roots` must be an",
    ],
    [
      "logging/setLevel",
      { level: "loud" },
      "`level` must be one of debug, info, notice, warning, error, critical, alert",
    ],
    ["resources/subscribe", {}, "`uri` must be a string, but is missing"],
  ])("%s %j", (method, given, message) => {
    expect(() => READERS[method]?.(given)).toThrow(
      expect.objectContaining({ name: "RpcError", code: -32602, message: expect.stringContaining(message) as string }),
    );
  });

  test("errors never repeat the values of the peer", () => {
    expect(() => params.readSetLevelParams({ level: "secret" })).toThrow(/^((?!secret).)*$/);
  });

  test.each(Object.entries(READERS))("%s, whatever is sent", (_method, read) => {
    fc.assert(
      fc.property(hostile(), (value) => {
        const outcome = attempt(read, value);
        if (isRefusal(outcome) || value === undefined) return;
        const entries = Object.entries(value as object);
        if (entries.some(([, member]) => member === null)) expect(Object.values(outcome as object)).not.toContain(null);
        else expect(outcome).toBe(value);
      }),
    );
  });
});

describe("the meta of a modern request", () => {
  test("is read in one go", () => {
    const _meta = {
      ...meta,
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, sampling: { tools: {} } },
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/logLevel": "info",
      progressToken: 0,
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
    };
    expect(params.readRequestMeta({ _meta })).toEqual({
      protocolVersion: "2026-07-28",
      clientCapabilities: { elicitation: { form: {} }, sampling: { tools: {} } },
      clientInfo,
      logLevel: "info",
      progressToken: 0,
    });
  });

  test.each([
    [undefined, "`params` must be an object, but is missing"],
    [{}, "`_meta` must be an object, but is missing"],
    [{ _meta: [] }, "`_meta` must be an object, but is an array"],
    [{ _meta: {} }, '`_meta["io.modelcontextprotocol/protocolVersion"]` must be a string, but is missing'],
    [
      { _meta: { ...meta, "io.modelcontextprotocol/clientCapabilities": undefined } },
      '`_meta["io.modelcontextprotocol/clientCapabilities"]` must be an object, but is missing',
    ],
    [
      { _meta: { ...meta, "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: false } } } },
      '`_meta["io.modelcontextprotocol/clientCapabilities"].elicitation.url` must be an object, but is a boolean',
    ],
    [
      { _meta: { ...meta, "io.modelcontextprotocol/clientInfo": { name: "c" } } },
      '`_meta["io.modelcontextprotocol/clientInfo"].version` must be a string, but is missing',
    ],
    [
      { _meta: { ...meta, "io.modelcontextprotocol/logLevel": "loud" } },
      '`_meta["io.modelcontextprotocol/logLevel"]` must be one of debug',
    ],
    [{ _meta: { ...meta, progressToken: 1.5 } }, "`_meta.progressToken` must be a string or a safe integer"],
    [{ _meta: { ...meta, progressToken: null } }, "but is null"],
  ])("%j is refused", (given, message) => {
    expect(() => params.readRequestMeta(given)).toThrow(
      expect.objectContaining({ name: "RpcError", code: -32602, message: expect.stringContaining(message) as string }),
    );
  });

  test("tells the version even where the rest is of another shape", () => {
    const future = { _meta: { "io.modelcontextprotocol/protocolVersion": "2030-01-01" } };
    expect(params.readProtocolVersion(future)).toBe("2030-01-01");
    expect(() => params.readProtocolVersion({ _meta: {} })).toThrow(RpcError);
  });

  test("decides on the era by naming a version, rightly or wrongly", () => {
    expect(params.claimsModernEra({ _meta: meta })).toBe(true);
    expect(params.claimsModernEra({ _meta: { "io.modelcontextprotocol/protocolVersion": 5 } })).toBe(true);
    for (const value of [undefined, null, [], {}, { _meta: null }, { _meta: { progressToken: 1 } }]) {
      expect(params.claimsModernEra(value)).toBe(false);
    }
  });

  test.each(Object.entries(META_READERS))("leads to no other error, whatever is sent: %s", (_name, read) => {
    fc.assert(
      fc.property(hostile(), (value) => {
        const outcome = attempt(read, value);
        expect(outcome instanceof Error).toBe(isRefusal(outcome));
      }),
    );
  });
});

/** Arbitrary JSON that often has the right names in it, with the wrong things under them. */
function hostile(): fc.Arbitrary<unknown> {
  const names = (
    "name arguments uri cursor ref type argument value context notifications level resourceSubscriptions " +
    "inputResponses requestState capabilities clientInfo _meta __proto__ constructor"
  ).split(" ");
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.jsonValue(), fc.constantFrom("ref/prompt", "debug", "", undefined)),
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names, ...Object.keys(meta)), fc.string()), tie("tree"), {
        maxKeys: 6,
      }),
    ),
  }));
  return tree;
}

/** The value that a reader returns, or the error that it throws. */
function attempt(read: Reader, value: unknown): unknown {
  try {
    return read(value);
  } catch (error) {
    return error;
  }
}

function isRefusal(outcome: unknown): boolean {
  return outcome instanceof RpcError && outcome.code === -32602;
}
