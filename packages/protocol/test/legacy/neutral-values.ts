/** Arbitrary values of the neutral model, with everything that any revision knows. */
import fc from "fast-check";
import type * as model from "../../src/model/index.ts";

type Arbitrary<T> = fc.Arbitrary<T>;

const text = fc.string({ maxLength: 12 });
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/);
const uri = name.map((part) => `file:///${part}`);
const base64 = fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const natural = fc.nat({ max: 1_000_000 });
const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
const meta: Arbitrary<model.Meta> = fc.constantFrom({ "com.example/key": 1 }, {});
const role: Arbitrary<model.Role> = fc.constantFrom("user", "assistant");
const object = fc.dictionary(
  name,
  fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
  {
    maxKeys: 3,
  },
);

/** Some of the optional members, all of the required ones. */
function record<T>(
  required: { [K in keyof T as undefined extends T[K] ? never : K]: Arbitrary<T[K]> },
  optional: { [K in keyof T as undefined extends T[K] ? K : never]?: Arbitrary<Exclude<T[K], undefined>> },
): Arbitrary<T> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) as never }) as Arbitrary<T>;
}

const annotations = record<model.Annotations>(
  {},
  { audience: fc.uniqueArray(role), priority: share, lastModified: fc.constant("2026-07-28T09:00:00Z") },
);
const icons = fc.array(
  record<model.Icon>(
    { src: fc.constant("https://example.com/icon.png") },
    { mimeType: fc.constant("image/png"), sizes: fc.constant(["48x48"]), theme: fc.constantFrom("light", "dark") },
  ),
  { maxLength: 2 },
);
const implementation = record<model.Implementation>(
  { name, version: fc.constant("1.0.0") },
  { title: text, description: text, websiteUrl: fc.constant("https://example.com"), icons },
);

const resourceContents: Arbitrary<model.ResourceContents> = fc.oneof(
  record<model.TextResourceContents>({ uri, text }, { mimeType: fc.constant("text/plain"), _meta: meta }),
  record<model.BlobResourceContents>({ uri, blob: base64 }, { mimeType: fc.constant("image/png"), _meta: meta }),
);
const media = { data: base64, mimeType: fc.constantFrom("image/png", "audio/wav") };
const textContent = record<model.TextContent>({ type: fc.constant("text"), text }, { annotations, _meta: meta });
const imageContent = record<model.ImageContent>({ type: fc.constant("image"), ...media }, { annotations, _meta: meta });
const audioContent = record<model.AudioContent>({ type: fc.constant("audio"), ...media }, { annotations, _meta: meta });

const contentBlock: Arbitrary<model.ContentBlock> = fc.oneof(
  textContent,
  imageContent,
  audioContent,
  record<model.ResourceLink>(
    { type: fc.constant("resource_link"), uri, name },
    { title: text, description: text, mimeType: text, size: natural, icons, annotations, _meta: meta },
  ),
  record<model.EmbeddedResource>(
    { type: fc.constant("resource"), resource: resourceContents },
    { annotations, _meta: meta },
  ),
);

const samplingBlock: Arbitrary<model.SamplingContentBlock> = fc.oneof(
  textContent,
  imageContent,
  audioContent,
  record<model.ToolUseContent>({ type: fc.constant("tool_use"), id: name, name, input: object }, { _meta: meta }),
  record<model.ToolResultContent>(
    { type: fc.constant("tool_result"), toolUseId: name, content: fc.array(contentBlock, { maxLength: 2 }) } as never,
    { structuredContent: fc.oneof(object, fc.array(text)), isError: fc.boolean(), _meta: meta },
  ),
);
const samplingContent = fc.oneof(samplingBlock, fc.array(samplingBlock, { maxLength: 3 }));

const propertySchemas = fc.dictionary(name, fc.oneof(fc.constant({ type: "string" }), fc.boolean()), { maxKeys: 3 });
const objectSchema = fc.record(
  { type: fc.constant("object" as const), properties: propertySchemas, additionalProperties: fc.boolean() },
  { requiredKeys: ["type"] },
);

const tool = record<model.Tool>(
  { name, inputSchema: objectSchema },
  {
    title: text,
    description: text,
    outputSchema: fc.oneof(
      objectSchema,
      fc.constant({ type: "array", items: { type: "string" } }),
      fc.constant({ anyOf: [{ type: "object" }, { type: "null" }] }),
      fc.constant({ type: ["object", "null"] }),
    ),
    annotations: record<model.ToolAnnotations>(
      {},
      {
        title: text,
        readOnlyHint: fc.boolean(),
        destructiveHint: fc.boolean(),
        idempotentHint: fc.boolean(),
        openWorldHint: fc.boolean(),
      },
    ),
    icons,
    _meta: meta,
  },
);

const common = { resultType: fc.constant("complete" as const), _meta: meta };
const cacheable = { ...common, ttlMs: natural, cacheScope: fc.constantFrom("public" as const, "private" as const) };
const listed = { title: text, description: text, mimeType: text, annotations, icons, _meta: meta };

const choices = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
const titledChoices = choices.map((names) => names.map((value) => ({ const: value, title: value.toUpperCase() })));
const label = { title: text, description: text };
const formField: Arbitrary<model.FormField> = fc.oneof(
  record<model.StringField>(
    { type: fc.constant("string") },
    {
      ...label,
      minLength: fc.nat(3),
      maxLength: fc.nat(9),
      format: fc.constantFrom("email", "uri", "date", "date-time"),
      default: text,
    },
  ),
  record<model.NumberField>(
    { type: fc.constantFrom("number", "integer") },
    { ...label, minimum: share, maximum: share, default: share },
  ),
  record<model.BooleanField>({ type: fc.constant("boolean") }, { ...label, default: fc.boolean() }),
  record<model.EnumField>(
    { type: fc.constant("string"), enum: choices },
    { ...label, enumNames: choices, default: name },
  ),
  record<model.TitledEnumField>({ type: fc.constant("string"), oneOf: titledChoices }, { ...label, default: name }),
  record<model.MultiSelectField>(
    {
      type: fc.constant("array"),
      items: fc.oneof(
        choices.map((values) => ({ type: "string" as const, enum: values })),
        titledChoices.map((anyOf) => ({ anyOf })),
      ),
    },
    { ...label, minItems: fc.nat(2), maxItems: fc.nat(3), default: choices },
  ),
);

export const elicitForm = record<model.ElicitFormParams>(
  {
    message: text,
    requestedSchema: record<model.FormSchema>(
      { type: fc.constant("object"), properties: fc.dictionary(name, formField, { maxKeys: 4 }) },
      {
        $schema: fc.constant("https://json-schema.org/draft/2020-12/schema"),
        required: fc.array(name, { maxLength: 2 }),
      },
    ),
  },
  { mode: fc.constant("form") },
);

export const elicitUrl: Arbitrary<model.ElicitUrlParams> = fc.record({
  mode: fc.constant("url"),
  message: text,
  url: fc.constant("https://example.com/login"),
  elicitationId: name,
});

const createMessage = record<model.CreateMessageParams>(
  {
    messages: fc.array(record<model.SamplingMessage>({ role, content: samplingContent }, { _meta: meta }), {
      maxLength: 3,
    }),
    maxTokens: natural,
  },
  {
    systemPrompt: text,
    temperature: share,
    stopSequences: fc.array(text),
    includeContext: fc.constantFrom("none", "thisServer", "allServers"),
    metadata: object,
    modelPreferences: fc.constant({ hints: [{ name: "fast" }], costPriority: 0.5 }),
    tools: fc.array(tool, { maxLength: 2 }),
    toolChoice: fc.constantFrom({ mode: "auto" as const }, { mode: "none" as const }, {}),
  },
);

const clientCapabilities = record<model.ClientCapabilities>(
  {},
  {
    elicitation: fc.constantFrom({}, { form: {} }, { url: {} }, { form: {}, url: {} }),
    sampling: fc.constantFrom({}, { tools: {}, context: {} }),
    roots: fc.constantFrom({}, { listChanged: true }),
    extensions: fc.constant({ "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } }),
    experimental: fc.constant({ x: { y: 1 } }),
  },
);
const serverCapabilities = record<model.ServerCapabilities>(
  {},
  {
    tools: fc.constantFrom({}, { listChanged: true }),
    resources: fc.constantFrom({}, { listChanged: true, subscribe: true }),
    prompts: fc.constantFrom({}, { listChanged: true }),
    completions: fc.constant({}),
    logging: fc.constant({}),
    extensions: fc.constant({ "io.modelcontextprotocol/ui": {} }),
    experimental: fc.constant({ x: { y: 1 } }),
  },
);

/** Results, by method. */
export const results: { readonly [M in model.RequestMethod]?: Arbitrary<model.ResultOf<M>> } = {
  "server/discover": record<model.DiscoverResult>(
    { supportedVersions: fc.constant(["2026-07-28"]), capabilities: serverCapabilities },
    { ...cacheable, instructions: text },
  ),
  initialize: record<model.InitializeResult>(
    { protocolVersion: fc.constant("2025-11-25"), serverInfo: implementation, capabilities: serverCapabilities },
    { ...common, instructions: text },
  ),
  "tools/list": record<model.ListToolsResult>(
    { tools: fc.array(tool, { maxLength: 3 }) },
    { ...cacheable, nextCursor: text },
  ),
  "tools/call": record<model.CallToolResult>({ content: fc.array(contentBlock, { maxLength: 4 }) } as never, {
    ...common,
    isError: fc.boolean(),
    structuredContent: fc.oneof(
      object,
      fc.array(text, { maxLength: 2 }),
      text,
      fc.integer(),
      fc.constant(null),
    ) as never,
  }),
  "resources/list": record<model.ListResourcesResult>(
    { resources: fc.array(record<model.Resource>({ uri, name }, { ...listed, size: natural }), { maxLength: 3 }) },
    { ...cacheable, nextCursor: text },
  ),
  "resources/templates/list": record<model.ListResourceTemplatesResult>(
    {
      resourceTemplates: fc.array(
        record<model.ResourceTemplate>({ uriTemplate: fc.constant("file:///{path}"), name }, listed),
        { maxLength: 3 },
      ),
    },
    { ...cacheable, nextCursor: text },
  ),
  "resources/read": record<model.ReadResourceResult>(
    { contents: fc.array(resourceContents, { maxLength: 3 }) },
    cacheable,
  ),
  "prompts/list": record<model.ListPromptsResult>(
    {
      prompts: fc.array(
        record<model.Prompt>(
          { name },
          {
            title: text,
            description: text,
            icons,
            _meta: meta,
            arguments: fc.array(
              record<model.PromptArgument>({ name }, { title: text, description: text, required: fc.boolean() }),
              { maxLength: 2 },
            ),
          },
        ),
        { maxLength: 3 },
      ),
    },
    { ...cacheable, nextCursor: text },
  ),
  "prompts/get": record<model.GetPromptResult>(
    { messages: fc.array(fc.record({ role, content: contentBlock }), { maxLength: 3 }) },
    { ...common, description: text },
  ),
  "completion/complete": record<model.CompleteResult>(
    {
      completion: record<model.CompleteResult["completion"]>(
        { values: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant(Array.from({ length: 130 }, String))) },
        { total: fc.integer({ min: 130, max: 500 }), hasMore: fc.boolean() },
      ),
    },
    common,
  ),
  "elicitation/create": record<model.ElicitResult>(
    { action: fc.constantFrom("accept", "decline", "cancel") },
    { content: fc.dictionary(name, fc.oneof(text, fc.boolean(), share, choices), { maxKeys: 3 }) },
  ),
  "sampling/createMessage": record<model.CreateMessageResult>(
    { role, content: samplingContent, model: text },
    { stopReason: text },
  ),
  "roots/list": record<model.ListRootsResult>(
    { roots: fc.array(record<model.Root>({ uri }, { name: text, _meta: meta }), { maxLength: 3 }) },
    {},
  ),
  ping: fc.constant({}),
};

/** Parameters of requests, by method. */
export const requests: { readonly [M in model.RequestMethod]?: Arbitrary<model.ParamsOf<M>> } = {
  initialize: fc.record({
    protocolVersion: fc.constant("2025-11-25"),
    clientInfo: implementation,
    capabilities: clientCapabilities,
  }),
  "completion/complete": record<model.CompleteParams>(
    {
      ref: fc.oneof(
        record<model.PromptReference>({ type: fc.constant("ref/prompt"), name }, { title: text }),
        fc.record({ type: fc.constant("ref/resource" as const), uri: fc.constant("file:///{path}") }),
      ),
      argument: fc.record({ name, value: text }),
    },
    { context: fc.constantFrom({}, { arguments: { language: "en" } }) },
  ),
  "elicitation/create": elicitForm,
  "sampling/createMessage": createMessage,
};

/** Parameters of notifications, by method. */
export const notifications: { readonly [M in model.NotificationMethod]?: Arbitrary<model.Notifications[M]> } = {
  "notifications/progress": record<model.ProgressParams>(
    { progressToken: fc.oneof(name, fc.integer()), progress: share },
    { total: share, message: text },
  ),
  "notifications/message": record<model.LogMessageParams>(
    { level: fc.constantFrom("debug", "emergency"), data: object } as never,
    { logger: text },
  ),
  "notifications/cancelled": fc.record({ requestId: fc.oneof(name, fc.integer()), reason: text }),
  "notifications/resources/updated": fc.record({ uri }),
};
