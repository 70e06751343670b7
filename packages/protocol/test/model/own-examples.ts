/**
 * Example messages of 2026-07-28, written for these tests: at least one of each kind that the specification has
 * examples of. They need no data from outside of the repository.
 */

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "reader", version: "2.1.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
};
const cacheable = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
const complete = { resultType: "complete" };

const text = { type: "text", text: "12 degrees, light rain", annotations: { audience: ["user"], priority: 0.5 } };
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const audio = { type: "audio", data: "UklGRg==", mimeType: "audio/wav", _meta: { "com.example/take": 2 } };
const link = { type: "resource_link", uri: "file:///report.md", name: "report", size: 412, mimeType: "text/markdown" };
const textContents = { uri: "file:///report.md", mimeType: "text/markdown", text: "# Report" };
const blobContents = { uri: "file:///chart.png", mimeType: "image/png", blob: "iVBORw0KGgo=" };
const embedded = { type: "resource", resource: textContents, annotations: { lastModified: "2026-08-01T10:00:00Z" } };
const toolUse = { type: "tool_use", id: "use-1", name: "forecast", input: { city: "Oslo" } };
const toolResult = { type: "tool_result", toolUseId: "use-1", content: [text], structuredContent: { degrees: 12 } };

const icon = { src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" };
const tool = {
  name: "forecast",
  title: "Forecast",
  description: "The weather of the next days",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  outputSchema: { type: "object", properties: { degrees: { type: "number" } } },
  annotations: { readOnlyHint: true, openWorldHint: true },
  icons: [icon],
};
const resource = { uri: "file:///report.md", name: "report", title: "Report", mimeType: "text/markdown", size: 412 };
const template = { uriTemplate: "file:///{path}", name: "file", description: "A file of the project" };
const prompt = { name: "summary", arguments: [{ name: "path", title: "Path", required: true }] };
const root = { uri: "file:///home/project", name: "project" };

const fields = {
  BooleanSchema: { type: "boolean", title: "Agreed", default: false },
  NumberSchema: { type: "number", minimum: 0.5, maximum: 10 },
  StringSchema: { type: "string", format: "email", minLength: 3 },
  TitledMultiSelectEnumSchema: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, maxItems: 1 },
  TitledSingleSelectEnumSchema: { type: "string", oneOf: [{ const: "a", title: "A" }], default: "a" },
  UntitledMultiSelectEnumSchema: { type: "array", items: { type: "string", enum: ["a", "b"] } },
  UntitledSingleSelectEnumSchema: { type: "string", enum: ["a", "b"] },
};
const form = {
  mode: "form",
  message: "Where is the report sent?",
  requestedSchema: { type: "object", properties: { email: fields.StringSchema }, required: ["email"] },
};
const visit = { mode: "url", message: "Please sign in.", url: "https://example.com/sign-in" };
const samplingMessage = { role: "user", content: text };
const preferences = { hints: [{ name: "small" }], costPriority: 0.9 };
const sampling = { messages: [samplingMessage], maxTokens: 64, modelPreferences: preferences, temperature: 0.2 };
const inputRequests = {
  address: { method: "elicitation/create", params: form },
  summary: { method: "sampling/createMessage", params: sampling },
  places: { method: "roots/list" },
};
const sampled = { role: "assistant", content: text, model: "small-1", stopReason: "endTurn" };
const inputResponses = {
  address: { action: "accept", content: { email: "reader@example.com", copies: 1.5 } },
  summary: sampled,
  places: { roots: [root] },
};

const params = {
  "tools/call": { name: "forecast", arguments: { city: "Oslo" }, _meta: { ...meta, progressToken: 7 } },
  "completion/complete": {
    ref: { type: "ref/prompt", name: "summary", title: "Summary" },
    argument: { name: "path", value: "rep" },
    context: { arguments: { folder: "docs" } },
    _meta: meta,
  },
  "prompts/get": { name: "summary", arguments: { path: "report.md" }, _meta: meta },
  "resources/read": { uri: "file:///report.md", _meta: meta },
  "subscriptions/listen": {
    notifications: { toolsListChanged: true, resourceSubscriptions: ["file:///report.md"] },
    _meta: meta,
  },
  list: { cursor: "page-2", _meta: meta },
};

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {} };
const results = {
  CallToolResult: { ...complete, content: [text, image, link, embedded], structuredContent: { degrees: 12 } },
  CompleteResult: { ...complete, completion: { values: ["report.md"], total: 1, hasMore: false } },
  DiscoverResult: { ...cacheable, supportedVersions: ["2026-07-28"], capabilities, instructions: "Ask for a city." },
  GetPromptResult: { ...complete, description: "A summary", messages: [{ role: "user", content: text }] },
  ListPromptsResult: { ...cacheable, prompts: [prompt] },
  ListResourceTemplatesResult: { ...cacheable, resourceTemplates: [template] },
  ListResourcesResult: { ...cacheable, resources: [resource], nextCursor: "page-2" },
  ListToolsResult: { ...cacheable, tools: [tool] },
  ReadResourceResult: { ...cacheable, contents: [textContents, blobContents] },
  SubscriptionsListenResult: { ...complete, _meta: { "io.modelcontextprotocol/subscriptionId": "listen-1" } },
};

const notices = {
  CancelledNotification: ["notifications/cancelled", { requestId: 4, reason: "The user left." }],
  LoggingMessageNotification: ["notifications/message", { level: "notice", logger: "io", data: { free: 12 } }],
  ProgressNotification: ["notifications/progress", { progressToken: 7, progress: 0.5, total: 1, message: "half" }],
  PromptListChangedNotification: ["notifications/prompts/list_changed", {}],
  ResourceListChangedNotification: ["notifications/resources/list_changed", {}],
  ResourceUpdatedNotification: ["notifications/resources/updated", { uri: "file:///report.md" }],
  SubscriptionsAcknowledgedNotification: [
    "notifications/subscriptions/acknowledged",
    { notifications: { toolsListChanged: true } },
  ],
  ToolListChangedNotification: ["notifications/tools/list_changed", {}],
} as const;

const errors = {
  InternalError: { code: -32603, message: "Internal error" },
  InvalidParamsError: { code: -32602, message: "Unknown tool: forcast" },
  MethodNotFoundError: { code: -32601, message: "Method not found: tools/cal" },
  ParseError: { code: -32700, message: "Not JSON" },
};

/** The examples, by the name of their definition in the specification. */
export const OWN_EXAMPLES: { readonly [definition: string]: unknown } = {
  CallToolRequest: request("tools/call", params["tools/call"]),
  CompleteRequest: request("completion/complete", params["completion/complete"]),
  DiscoverRequest: request("server/discover", { _meta: meta }),
  GetPromptRequest: request("prompts/get", params["prompts/get"]),
  ListPromptsRequest: request("prompts/list", params.list),
  ListResourceTemplatesRequest: request("resources/templates/list", params.list),
  ListResourcesRequest: request("resources/list", params.list),
  ListToolsRequest: request("tools/list", params.list),
  ReadResourceRequest: request("resources/read", params["resources/read"]),
  SubscriptionsListenRequest: request("subscriptions/listen", params["subscriptions/listen"]),
  CallToolRequestParams: params["tools/call"],
  CompleteRequestParams: params["completion/complete"],
  GetPromptRequestParams: params["prompts/get"],
  PaginatedRequestParams: params.list,

  ...results,
  ...Object.fromEntries(
    Object.entries(results).map(([name, result]) => [`${name}Response`, { jsonrpc: "2.0", id: "a-1", result }]),
  ),
  InputRequiredResult: { resultType: "input_required", inputRequests, requestState: "sealed" },

  ...Object.fromEntries(
    Object.entries(notices).map(([name, [method, given]]) => [name, { jsonrpc: "2.0", method, params: given }]),
  ),
  CancelledNotificationParams: notices.CancelledNotification[1],
  LoggingMessageNotificationParams: notices.LoggingMessageNotification[1],
  ProgressNotificationParams: notices.ProgressNotification[1],
  ResourceUpdatedNotificationParams: notices.ResourceUpdatedNotification[1],

  ...errors,
  HeaderMismatchError: errorResponse(-32020, "`Mcp-Method` is not the method of the body"),
  MissingRequiredClientCapabilityError: errorResponse(-32021, "Needs sampling", {
    requiredCapabilities: { sampling: {} },
  }),
  UnsupportedProtocolVersionError: errorResponse(-32022, "Unknown version", {
    supported: ["2026-07-28"],
    requested: "2030-01-01",
  }),

  CreateMessageRequest: inputRequests.summary,
  ElicitRequest: inputRequests.address,
  ListRootsRequest: inputRequests.places,
  CreateMessageRequestParams: sampling,
  ElicitRequestFormParams: form,
  ElicitRequestURLParams: visit,
  InputRequests: inputRequests,
  CreateMessageResult: sampled,
  ElicitResult: inputResponses.address,
  ListRootsResult: inputResponses.places,
  InputResponses: inputResponses,
  Root: root,
  SamplingMessage: samplingMessage,
  ModelPreferences: preferences,
  ToolUseContent: toolUse,
  ToolResultContent: toolResult,
  ...fields,

  AudioContent: audio,
  EmbeddedResource: embedded,
  ImageContent: image,
  ResourceLink: link,
  TextContent: text,
  BlobResourceContents: blobContents,
  TextResourceContents: textContents,
  Resource: resource,
  Tool: tool,
  ClientCapabilities: meta["io.modelcontextprotocol/clientCapabilities"],
  ServerCapabilities: capabilities,
};

function request(method: string, given: object): object {
  return { jsonrpc: "2.0", id: 1, method, params: given };
}

function errorResponse(code: number, message: string, data?: object): object {
  return { jsonrpc: "2.0", id: 1, error: { code, message, ...(data !== undefined && { data }) } };
}
