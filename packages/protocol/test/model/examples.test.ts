import { describe, expect, test } from "vitest";
import { ErrorCode } from "../../src/errors.ts";
import { encodeMessage } from "../../src/messages/encode.ts";
import { isErrorResponse, isNotification, isRequest, isResponse } from "../../src/messages/message.ts";
import { parseMessage } from "../../src/messages/parse.ts";
import { claimsModernEra, readRequestMeta } from "../../src/params/meta.ts";
import {
  readCallToolParams,
  readCompleteParams,
  readGetPromptParams,
  readListenParams,
  readListParams,
  readReadResourceParams,
} from "../../src/internal.ts";
import { servesMethod } from "../../src/revisions/methods.ts";
import { translatorFor } from "../../src/legacy/translate.ts";
import { hasExamples, readExamples, SOURCES, type SchemaSource } from "../spec-data.ts";
import { OWN_EXAMPLES } from "./own-examples.ts";

const modern = translatorFor("2026-07-28");

/** The guard of each request that servers answer. */
const GUARDS: { readonly [method: string]: (params: unknown) => unknown } = {
  "server/discover": (params) => params,
  "tools/list": readListParams,
  "resources/list": readListParams,
  "resources/templates/list": readListParams,
  "prompts/list": readListParams,
  "tools/call": readCallToolParams,
  "prompts/get": readGetPromptParams,
  "resources/read": readReadResourceParams,
  "completion/complete": readCompleteParams,
  "subscriptions/listen": readListenParams,
};

/** Each kind of example, and what has to hold for it. Checks get the parsed JSON, and its text. */
const CHECKS: { readonly [definition: string]: (example: never, text: string) => void } = {
  ...each(
    [
      "CallToolRequest",
      "CompleteRequest",
      "DiscoverRequest",
      "GetPromptRequest",
      "ListPromptsRequest",
      "ListResourceTemplatesRequest",
      "ListResourcesRequest",
      "ListToolsRequest",
      "ReadResourceRequest",
      "SubscriptionsListenRequest",
    ],
    checkRequest,
  ),
  CallToolRequestParams: (params) => checkParams("tools/call", params),
  CompleteRequestParams: (params) => checkParams("completion/complete", params),
  GetPromptRequestParams: (params) => checkParams("prompts/get", params),
  PaginatedRequestParams: (params) => checkParams("tools/list", params),

  ...each(
    [
      "CallToolResultResponse",
      "CompleteResultResponse",
      "DiscoverResultResponse",
      "GetPromptResultResponse",
      "ListPromptsResultResponse",
      "ListResourceTemplatesResultResponse",
      "ListResourcesResultResponse",
      "ListToolsResultResponse",
      "ReadResourceResultResponse",
      "SubscriptionsListenResultResponse",
    ],
    checkResponse,
  ),
  CallToolResult: unchanged("tools/call"),
  CompleteResult: unchanged("completion/complete"),
  DiscoverResult: unchanged("server/discover"),
  GetPromptResult: unchanged("prompts/get"),
  InputRequiredResult: unchanged("tools/call"),
  ListPromptsResult: unchanged("prompts/list"),
  ListResourceTemplatesResult: unchanged("resources/templates/list"),
  ListResourcesResult: unchanged("resources/list"),
  ListToolsResult: unchanged("tools/list"),
  ReadResourceResult: unchanged("resources/read"),
  SubscriptionsListenResult: unchanged("subscriptions/listen"),

  ...each(
    [
      "CancelledNotification",
      "LoggingMessageNotification",
      "ProgressNotification",
      "PromptListChangedNotification",
      "ResourceListChangedNotification",
      "ResourceUpdatedNotification",
      "SubscriptionsAcknowledgedNotification",
      "ToolListChangedNotification",
    ],
    checkNotification,
  ),
  CancelledNotificationParams: unchangedNotice("notifications/cancelled"),
  LoggingMessageNotificationParams: unchangedNotice("notifications/message"),
  ProgressNotificationParams: unchangedNotice("notifications/progress"),
  ResourceUpdatedNotificationParams: unchangedNotice("notifications/resources/updated"),

  HeaderMismatchError: checkError(ErrorCode.HeaderMismatch),
  InternalError: checkErrorObject(ErrorCode.InternalError),
  InvalidParamsError: checkErrorObject(ErrorCode.InvalidParams),
  MethodNotFoundError: checkErrorObject(ErrorCode.MethodNotFound),
  MissingRequiredClientCapabilityError: checkError(ErrorCode.MissingRequiredClientCapability),
  ParseError: checkErrorObject(ErrorCode.ParseError),
  UnsupportedProtocolVersionError: checkError(ErrorCode.UnsupportedProtocolVersion),

  ...each(["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"], checkInputRequest),
  CreateMessageRequestParams: (params) => checkInputRequest({ method: "sampling/createMessage", params } as never),
  ElicitRequestFormParams: (params) => checkInputRequest({ method: "elicitation/create", params } as never),
  ElicitRequestURLParams: (params) => checkInputRequest({ method: "elicitation/create", params } as never),
  InputRequests: (inputRequests) => unchanged("tools/call")({ resultType: "input_required", inputRequests } as never),
  CreateMessageResult: checkInputResponse("sampling/createMessage"),
  ElicitResult: checkInputResponse("elicitation/create"),
  ListRootsResult: checkInputResponse("roots/list"),
  InputResponses: (inputResponses) => {
    const params = { name: "tool", inputResponses };
    expect(readCallToolParams(params)).toBe(params);
  },
  Root: (root) => checkInputResponse("roots/list")({ roots: [root] } as never),
  SamplingMessage: (message) => checkMessages([message]),
  ModelPreferences: (modelPreferences) =>
    checkInputRequest({
      method: "sampling/createMessage",
      params: { messages: [], maxTokens: 1, modelPreferences },
    } as never),
  ToolUseContent: (content) => checkMessages([{ role: "assistant", content }]),
  ToolResultContent: (content) => checkMessages([{ role: "user", content: [content] }]),
  ...each(
    [
      "BooleanSchema",
      "NumberSchema",
      "StringSchema",
      "TitledMultiSelectEnumSchema",
      "TitledSingleSelectEnumSchema",
      "UntitledMultiSelectEnumSchema",
      "UntitledSingleSelectEnumSchema",
    ],
    (field) => {
      const requestedSchema = { type: "object", properties: { field } };
      checkInputRequest({ method: "elicitation/create", params: { message: "", requestedSchema } } as never);
    },
  ),

  ...each(["AudioContent", "EmbeddedResource", "ImageContent", "ResourceLink", "TextContent"], (block) =>
    unchanged("tools/call")({ resultType: "complete", content: [block] } as never),
  ),
  ...each(["BlobResourceContents", "TextResourceContents"], (contents) =>
    unchanged("resources/read")({ ...CACHEABLE, contents: [contents] } as never),
  ),
  Resource: (resource) => unchanged("resources/list")({ ...CACHEABLE, resources: [resource] } as never),
  Tool: (tool) => unchanged("tools/list")({ ...CACHEABLE, tools: [tool] } as never),

  ClientCapabilities: (capabilities) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    expect(readRequestMeta({ _meta }).clientCapabilities).toBe(capabilities);
  },
  ServerCapabilities: (capabilities) =>
    unchanged("server/discover")({ ...CACHEABLE, supportedVersions: [], capabilities } as never),
};

const CACHEABLE = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

describe("our own examples of 2026-07-28", () => {
  const examples = Object.entries(OWN_EXAMPLES);

  test("are of all kinds that are checked", () => {
    expect(Object.keys(OWN_EXAMPLES).toSorted()).toEqual(Object.keys(CHECKS).toSorted());
  });

  test.each(examples)("%s passes through our types without loss", (kind, example) => {
    const before = JSON.stringify(example);
    CHECKS[kind]?.(example as never, before);
    expect(JSON.stringify(example)).toBe(before);
  });

  describe.each(SOURCES.map((source) => [source.name, source] as const))("are valid by %s", (_name, source) => {
    test.each(examples)("%s", (kind, example) => {
      const [definition, value] = placeOf(source, kind, example);
      expect(source.complaintAbout("2026-07-28", definition, value)).toBeUndefined();
    });
  });
});

/** The definition to check an example by: its own, or the nearest one if the source has none. */
function placeOf(source: SchemaSource, kind: string, example: unknown): [definition: string, value: unknown] {
  if (kind in source.definitionsOf("2026-07-28")) return [kind, example];
  if (kind.endsWith("ResultResponse")) return ["JSONRPCResultResponse", example];
  if (kind === "InputRequests") {
    return ["InputRequiredResult", { resultType: "input_required", inputRequests: example }];
  }
  if (kind === "InputResponses") {
    const [first] = Object.values(example as object) as unknown[];
    return ["ElicitResult", first];
  }
  const isWhole = Object.hasOwn(example as object, "error");
  return ["JSONRPCErrorResponse", isWhole ? example : { jsonrpc: "2.0", id: 1, error: example }];
}

describe.runIf(hasExamples)("the official examples of 2026-07-28", () => {
  const examples = readExamples();

  test("are of kinds that are checked below, each of which occurs", () => {
    expect(Object.keys(CHECKS).toSorted()).toEqual([...new Set(examples.map(([kind]) => kind))].toSorted());
  });

  test.each(examples)("%s: %s passes through our types without loss", (kind, _name, text) => {
    const example: unknown = JSON.parse(text);
    const before = JSON.stringify(example);
    CHECKS[kind]?.(example as never, text);
    expect(JSON.stringify(example)).toBe(before);
  });
});

function each(kinds: string[], check: (example: never, text: string) => void): typeof CHECKS {
  return Object.fromEntries(kinds.map((kind) => [kind, check]));
}

function checkRequest(example: never, text: string): void {
  const message = parseMessage(text);
  expect(JSON.parse(encodeMessage(message))).toEqual(example);
  expect(isRequest(message)).toBe(true);
  const { method, params } = message as unknown as { method: string; params: unknown };
  expect(servesMethod("2026-07-28", method, "client-to-server")).toBe(true);
  checkParams(method, params);
}

function checkParams(method: string, params: unknown): void {
  const { _meta } = params as { _meta: Record<string, unknown> };
  expect(claimsModernEra(params)).toBe(true);
  expect(readRequestMeta(params)).toEqual({
    protocolVersion: "2026-07-28",
    clientCapabilities: _meta["io.modelcontextprotocol/clientCapabilities"],
    clientInfo: _meta["io.modelcontextprotocol/clientInfo"],
    logLevel: _meta["io.modelcontextprotocol/logLevel"],
    progressToken: _meta["progressToken"],
  });
  expect(GUARDS[method]?.(params)).toBe(params);
}

function checkResponse(example: never, text: string): void {
  const message = parseMessage(text);
  expect(JSON.parse(encodeMessage(message))).toEqual(example);
  expect(isResponse(message) && !isErrorResponse(message)).toBe(true);
}

function checkNotification(example: never, text: string): void {
  const message = parseMessage(text);
  expect(JSON.parse(encodeMessage(message))).toEqual(example);
  expect(isNotification(message)).toBe(true);
  const { method, params } = message as unknown as { method: string; params: unknown };
  expect(servesMethod("2026-07-28", method, "server-to-client")).toBe(true);
  unchangedNotice(method)(params as never);
}

function checkError(code: number): (example: never, text: string) => void {
  return (example, text) => {
    const message = parseMessage(text);
    expect(JSON.parse(encodeMessage(message))).toEqual(example);
    expect(message).toMatchObject({ error: { code } });
  };
}

function checkErrorObject(code: number): (example: never) => void {
  return (error) => {
    expect(parseMessage(JSON.stringify({ jsonrpc: "2.0", id: 1, error }))).toMatchObject({ error: { code } });
  };
}

/** Checks that a result that is complete already is passed on as it is, not as a copy. */
function unchanged(method: string): (result: never) => void {
  const rewrite = modern.result(method);
  return (result) => expect(rewrite === undefined ? result : rewrite(result)).toBe(result);
}

function unchangedNotice(method: string): (params: never) => void {
  const rewrite = modern.notification(method);
  return (params) => expect(rewrite === undefined ? params : rewrite(params)).toBe(params);
}

function checkInputRequest(request: never): void {
  const { method, params } = request as { method: string; params: never };
  const rewrite = modern.request(method);
  expect(rewrite === undefined ? params : rewrite(params)).toBe(params);
  unchanged("tools/call")({ resultType: "input_required", inputRequests: { key: request } } as never);
}

function checkInputResponse(method: string): (response: never) => void {
  return (response) => {
    unchanged(method)(response);
    const params = { name: "tool", inputResponses: { key: response } };
    expect(readCallToolParams(params)).toBe(params);
  };
}

function checkMessages(messages: unknown[]): void {
  checkInputRequest({ method: "sampling/createMessage", params: { messages, maxTokens: 1 } } as never);
}
