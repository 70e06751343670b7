/**
 * OpenTelemetry for servers.
 *
 * @packageDocumentation
 */
export { serverTelemetry, type ServerTelemetryOptions } from "./server/server-telemetry.ts";
export type { RecordOptions, TelemetryOptions } from "./recording/options.ts";
export type { Redact } from "./recording/value.ts";
