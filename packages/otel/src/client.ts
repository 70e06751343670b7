/**
 * OpenTelemetry for clients.
 *
 * @packageDocumentation
 */
export { clientTelemetry, type ClientTelemetryOptions } from "./client/client-telemetry.ts";
export type { RecordOptions, TelemetryOptions } from "./recording/options.ts";
export type { Redact } from "./recording/value.ts";
