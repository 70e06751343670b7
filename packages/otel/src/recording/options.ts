import { type Meter, metrics, trace, type Tracer } from "@opentelemetry/api";
import { expectBoolean, expectChoice, expectFunction, expectLimit } from "@toolwire/protocol/internal";
import type { Redact } from "./value.ts";

/** The options that telemetry of servers and of clients share. */
export interface TelemetryOptions {
  /** Makes spans. Default: the tracer of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Makes metrics. Default: the meter of the global provider. */
  readonly meter?: Meter | undefined;
  /**
   * `"spans"` makes spans and metrics and passes the trace on. `"propagate"` only passes the trace on, for applications that make spans
   * of their own. Default `"spans"`.
   */
  readonly mode?: "spans" | "propagate" | undefined;
  /** Whether W3C Baggage is passed on, and taken from trusted callers. It may hold personal data. Default false. */
  readonly baggage?: boolean | undefined;
  /** The data that spans may have beyond the conventions' required attributes. */
  readonly record?: RecordOptions | undefined;
}

/** The data that spans may have. Metrics have none of it. */
export interface RecordOptions {
  /**
   * Records the arguments of tool calls, as this function returns them: take secrets and personal data out of them. Default: not
   * recorded.
   */
  readonly arguments?: Redact | undefined;
  /** Records the results of tool calls, as this function returns them. Default: not recorded. */
  readonly results?: Redact | undefined;
  /** The most characters of recorded arguments and results, as JSON. The rest is cut off. Default 4096. */
  readonly maxLength?: number | undefined;
  /**
   * The URIs of resources that are recorded. `"static"`: those of resources that are defined with one URI. `"all"`: also those that
   * callers fill in, which often hold user data. `"none"`: no URI at all. Default `"static"`.
   */
  readonly uris?: "static" | "all" | "none" | undefined;
  /**
   * The ids of legacy sessions, which are credentials. `"hash"`: the first 16 characters of their SHA-256 in base64url. `"raw"`: the id
   * itself, so that whoever sees the spans can use the session. `"none"`: nothing. Default `"hash"`.
   */
  readonly session?: "hash" | "raw" | "none" | undefined;
}

/** The options, checked and completed. */
export interface TelemetrySettings {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly makesSpans: boolean;
  readonly baggage: boolean;
  readonly record: {
    readonly arguments: Redact | undefined;
    readonly results: Redact | undefined;
    readonly maxLength: number;
    readonly uris: "static" | "all" | "none";
    readonly session: "hash" | "raw" | "none";
  };
}

/** The name under which spans and metrics are made. */
const SCOPE = "@toolwire/otel";

/** Names of {@link TelemetryOptions}. */
export const TELEMETRY_OPTIONS = { tracer: true, meter: true, mode: true, baggage: true, record: true } as const;

/** Checks options, and throws a `UsageError` that says what is wrong with one. */
export function readTelemetryOptions(options: TelemetryOptions): TelemetrySettings {
  const { record = {} } = options;
  return {
    tracer: options.tracer ?? trace.getTracer(SCOPE),
    meter: options.meter ?? metrics.getMeter(SCOPE),
    makesSpans: expectChoice("mode", ["spans", "propagate"], options.mode) !== "propagate",
    baggage: expectBoolean("baggage", options.baggage, false),
    record: {
      arguments: record.arguments && expectFunction("record.arguments", record.arguments),
      results: record.results && expectFunction("record.results", record.results),
      maxLength: expectLimit("record.maxLength", record.maxLength, 4096),
      uris: expectChoice("record.uris", ["static", "all", "none"], record.uris) ?? "static",
      session: expectChoice("record.session", ["hash", "raw", "none"], record.session) ?? "hash",
    },
  };
}
