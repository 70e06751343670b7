import { expectTypeOf, test } from "vitest";
import {
  type CallToolParams,
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  type ElicitParams,
  type FormField,
  type GetPromptResult,
  type InputRequiredResult,
  type JsonObject,
  type JsonValue,
  type ListToolsResult,
  type LoggingLevel,
  MetaKey,
  type NotificationMethod,
  type Notifications,
  type ParamsOf,
  type RequestMeta,
  type RequestMethod,
  type ResultOf,
  type SamplingMessage,
  type Tool,
} from "../../src/model/index.ts";
import { LATEST_REVISION, type LegacyRevision, type Revision } from "../../src/revisions/revision.ts";
import { translateResult, translatorFor, type Translator } from "../../src/legacy/translate.ts";

test("optional members take undefined, so that objects can be built from optional values", () => {
  const title = undefined as string | undefined;
  const tool: Tool = { name: "t", title, inputSchema: { type: "object", properties: { a: { type: "string" } } } };
  const result: CallToolResult = {
    content: [{ type: "text", text: "hi", annotations: undefined }],
    isError: undefined,
  };
  const page: ListToolsResult = { tools: [tool], nextCursor: title };
  expectTypeOf(page.tools[0]).toEqualTypeOf<Tool | undefined>();
  expectTypeOf(result.resultType).toEqualTypeOf<"complete" | undefined>();
});

test("literals that are constant fit", () => {
  const result = { content: [{ type: "text", text: "hi" }], structuredContent: { a: [1] } } as const;
  expectTypeOf(result).toExtend<CallToolResult>();
  const schema = { type: "object", properties: {}, required: ["a"], additionalProperties: false } as const;
  expectTypeOf(schema).toExtend<Tool["inputSchema"]>();
});

test("blocks, fields and messages are told apart by their members", () => {
  const block = {} as ContentBlock;
  if (block.type === "resource_link") expectTypeOf(block.uri).toBeString();
  if (block.type === "resource" && "blob" in block.resource) expectTypeOf(block.resource.blob).toBeString();
  const params = {} as ElicitParams;
  if (params.mode === "url") expectTypeOf(params.url).toBeString();
  else expectTypeOf(params.requestedSchema.properties["x"]).toEqualTypeOf<FormField | undefined>();
  const answer = {} as CallToolResult | InputRequiredResult;
  if (answer.resultType === "input_required") expectTypeOf(answer.requestState).toEqualTypeOf<string | undefined>();
  else expectTypeOf(answer.content).toEqualTypeOf<readonly ContentBlock[]>();
  expectTypeOf<ContentBlock>().not.toExtend<SamplingMessage["content"]>();
});

test("objects of the wrong shape do not compile", () => {
  // @ts-expect-error content is required
  const result: CallToolResult = {};
  // @ts-expect-error no such kind of content
  const block: ContentBlock = { type: "video", data: "", mimeType: "" };
  // @ts-expect-error a tool takes an object
  const tool: Tool = { name: "t", inputSchema: { type: "string" } };
  // @ts-expect-error misspelt
  const capabilities: ClientCapabilities = { elicitaton: {} };
  // @ts-expect-error functions are no JSON
  const json: JsonValue = { a: () => 1 };
  expectTypeOf([result, block, tool, capabilities, json]).toBeArray();
});

test("methods know what they take and give", () => {
  expectTypeOf<ParamsOf<"tools/call">>().toEqualTypeOf<CallToolParams>();
  expectTypeOf<ResultOf<"prompts/get">>().toEqualTypeOf<GetPromptResult>();
  expectTypeOf<Notifications["notifications/message"]["level"]>().toEqualTypeOf<LoggingLevel>();
  expectTypeOf<"initialize">().toExtend<RequestMethod>();
  expectTypeOf<"notifications/elicitation/complete">().toExtend<NotificationMethod>();
  expectTypeOf<"tasks/get">().not.toExtend<RequestMethod>();
});

test("meta keys are members of the meta", () => {
  const meta: RequestMeta = {
    [MetaKey.ProtocolVersion]: LATEST_REVISION,
    [MetaKey.ClientCapabilities]: { elicitation: {} },
    [MetaKey.LogLevel]: "info",
    "com.example/own": 1,
  };
  expectTypeOf(meta[MetaKey.LogLevel]).toEqualTypeOf<LoggingLevel | undefined>();
  expectTypeOf<JsonObject>().toExtend<JsonValue>();
});

test("translations keep the type of what they translate", () => {
  expectTypeOf(translateResult("2025-06-18", "tools/list", { tools: [] })).toEqualTypeOf<ListToolsResult>();
  const rewrite = translatorFor("2025-06-18").result("tools/call");
  expectTypeOf<NonNullable<typeof rewrite>>().parameter(0).toEqualTypeOf<CallToolResult | InputRequiredResult>();
  expectTypeOf<Translator["revision"]>().toEqualTypeOf<Revision>();
  expectTypeOf<LegacyRevision>().toExtend<Revision>();
  expectTypeOf<"2026-07-28">().not.toExtend<LegacyRevision>();
});
