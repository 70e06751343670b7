/**
 * OpenTelemetry for gateways.
 *
 * @packageDocumentation
 */
export { gatewayTelemetry, type GatewayTelemetry, type GatewayTelemetryOptions } from "./gateway/gateway-telemetry.ts";
export type { RecordOptions, TelemetryOptions } from "./recording/options.ts";
export type { Redact } from "./recording/value.ts";
