/**
 * The names of OpenTelemetry's semantic conventions for MCP (open-telemetry/semantic-conventions-genai, `docs/gen-ai/mcp.md`), and our
 * own. The conventions are in development and have moved before, so that all names are in this file, and come from no package.
 */

/** Attributes of spans and metrics. */
export const Attribute = {
  Method: "mcp.method.name",
  ProtocolVersion: "mcp.protocol.version",
  SessionId: "mcp.session.id",
  ResourceUri: "mcp.resource.uri",
  Operation: "gen_ai.operation.name",
  Tool: "gen_ai.tool.name",
  Prompt: "gen_ai.prompt.name",
  Arguments: "gen_ai.tool.call.arguments",
  Result: "gen_ai.tool.call.result",
  RequestId: "jsonrpc.request.id",
  ErrorType: "error.type",
  StatusCode: "rpc.response.status_code",
  Transport: "network.transport",
  Protocol: "network.protocol.name",
  ServerAddress: "server.address",
  ServerPort: "server.port",
  HttpStatus: "http.response.status_code",
  /** The name of a resource, or of the family that it belongs to, as the server defines it. */
  ResourceName: "toolwire.resource.name",
  /** `input_required` if a result asks for the answers of the user. */
  ResultType: "toolwire.result.type",
} as const;

/** Metrics. Those that begin with `toolwire.` are ours. */
export const Metric = {
  ServerOperation: "mcp.server.operation.duration",
  ServerSession: "mcp.server.session.duration",
  ClientOperation: "mcp.client.operation.duration",
  ClientSession: "mcp.client.session.duration",
  ActiveRequests: "toolwire.server.active_requests",
  ActiveSubscriptions: "toolwire.server.active_subscriptions",
  ActiveSessions: "toolwire.server.active_sessions",
  Notifications: "toolwire.server.notifications",
  Refusals: "toolwire.server.refusals",
} as const;

/** The bounds of the buckets of all durations, in seconds. */
export const BUCKETS: number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Stands for names that a peer chooses, and of which there can be any number. */
export const OTHER = "_OTHER";

/** The operation of a tool call, by which tools for models find it. */
export const EXECUTE_TOOL = "execute_tool";

/** Values of `error.type` that are no codes. */
export const ErrorType = { Tool: "tool_error", Cancelled: "cancelled", Timeout: "timeout" } as const;

/**
 * The codes that are no errors of the server that answers with them: a caller has made a mistake, and an operator need not know.
 * For the caller, they are errors like any other.
 */
export const FAULTS_OF_CALLERS: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_002]);

/** The notifications that clients send. */
export const CLIENT_NOTIFICATIONS: ReadonlySet<string> = new Set([
  "notifications/cancelled",
  "notifications/elicitation/complete",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed",
]);

/** The requests that legacy servers send. */
export const SERVER_REQUESTS: ReadonlySet<string> = new Set([
  "elicitation/create",
  "ping",
  "roots/list",
  "sampling/createMessage",
]);
