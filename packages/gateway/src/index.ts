/**
 * A gateway of the Model Context Protocol: HTTP APIs, OpenAPI documents and other MCP servers at `/mcp/{slug}`.
 *
 * @packageDocumentation
 */
export { createGateway } from "./create-gateway.ts";
export type { Gateway, GatewayEvent, GatewayObservers, GatewayOptions, GatewayServer, ToolInfo } from "./gateway.ts";
export type {
  AccessRuleConfig,
  AdminLoginConfig,
  CredentialConfig,
  CredentialText,
  FilterConfig,
  GatewayConfig,
  HttpToolConfig,
  LimitsConfig,
  NetworkConfig,
  OAuthConfig,
  OAuthPreset,
  OpenApiConfig,
  ParamConfig,
  ReferringText,
  ServerConfig,
  ToolOverrideConfig,
  UpstreamAuthConfig,
  UpstreamClientConfig,
  UpstreamConfig,
  UpstreamOAuthConfig,
  UpstreamTokenConfig,
} from "./config/config.ts";
export type {
  CallFilter,
  CallLog,
  CallPage,
  CallTotals,
  ClientTotals,
  LogStatus,
  SeriesPoint,
  TimeRange,
  ToolTotals,
} from "./log/call-log.ts";
export { OUTCOMES, type CallRecord, type Outcome, type TimedStep } from "./log/call-record.ts";
export { openStorage, type StorageOptions } from "./storage/open-storage.ts";
export type {
  ApiKey,
  AuditEntry,
  GrantEntry,
  GrantOwner,
  GrantStore,
  KeyStore,
  PendingLoginStore,
  SecretStore,
  ServerStore,
  Storage,
  StoredServer,
} from "./storage/storage.ts";
export type { Upstream, UpstreamKind, UpstreamStatus } from "./upstreams/upstream.ts";
