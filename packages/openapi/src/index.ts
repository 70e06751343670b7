/**
 * Any HTTP API as tools: hand-written ones, and those of OpenAPI documents.
 *
 * @packageDocumentation
 */
export {
  type Connector,
  type ConnectTarget,
  createHttpCaller,
  createNetworkGuard,
  type NetworkGuard,
} from "#http-caller";
export type { HttpDiagnostic, OnHttpDiagnostic } from "./caller/diagnostics.ts";
export type { HttpCaller, HttpRequest, HttpResponse, SendOptions } from "./caller/http-caller.ts";
export type { HttpCallerOptions, HttpTlsOptions, LookUpHost, NetworkPolicy } from "./caller/options.ts";
export type { Auth, AuthSubject } from "./credentials/auth.ts";
export type { CredentialValue } from "./credentials/credential-value.ts";
export {
  apiKey,
  type ApiKeyOptions,
  basic,
  type BasicOptions,
  bearer,
  combineAuth,
  headers,
} from "./credentials/kinds.ts";
export type {
  DeclaredScheme,
  ImportedOperation,
  OpenApiCandidates,
  OpenApiImport,
  OperationCandidate,
  OperationInfo,
  SkipKind,
  ToolListing,
} from "./import/imported-operation.ts";
export type { NameStyle } from "./import/names.ts";
export type { DescriptionStyle } from "./schema/texts.ts";
export type {
  OpenApiOptions,
  OperationFilter,
  OperationFilterRules,
  SchemeCredential,
  ToolOverrides,
} from "./import/options.ts";
export type { JsonMembers } from "./document/json-value.ts";
export { parseDocument as parseOpenApi } from "./document/parse-document.ts";
export { listOpenApi, readOpenApi } from "./import/read-open-api.ts";
export { formatReport, type ImportReport, type OperationReport, type SchemeReport } from "./import/report.ts";
export { toolsFromOpenApi, type OpenApiTools, type ToolsFromOpenApiOptions } from "./import/tools-from-open-api.ts";
export type {
  ArgumentPath,
  BodyEncoding,
  BodyProperty,
  BodySpec,
  HttpMethod,
  ParameterSpec,
  ParameterStyle,
  RequestSpec,
} from "./request/request-spec.ts";
export type { ResponseOptions } from "./response/options.ts";
export { shortenText, type Shortened } from "./response/truncate.ts";
export { compileHttpTool, httpTool, type CompiledHttpTool } from "./tool/http-tool.ts";
export {
  compileOperation,
  type HttpOperation,
  type OperationOptions,
  type TransformedResponse,
} from "./tool/operation.ts";
export { annotationsOf, operationOf } from "./tool/operation-tool.ts";
export type {
  ApiResponse,
  BodyOptions,
  BodyPlacement,
  HttpToolOptions,
  HttpToolResponseOptions,
  ParameterPlacement,
  Placement,
  Placements,
} from "./tool/options.ts";
export { compileRepair, type RepairArguments } from "./tool/repair-arguments.ts";
