import type { LogStatus } from "../log/call-log.ts";
import type { CallRecord, Outcome } from "../log/call-record.ts";
import type { UpstreamStatus } from "../upstreams/upstream.ts";

/** The upper bounds of the buckets of durations, in seconds. */
const BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The most series of calls. Servers, tools and outcomes beyond that are counted together. */
const MAX_SERIES = 10_000;

/** Stands for tools that do not exist, whose names callers choose, and for series beyond the limit. */
const OTHER = "other";

interface Series {
  readonly server: string;
  readonly tool: string;
  readonly outcome: Outcome;
  count: number;
}

interface Durations {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** The state of the gateway at the moment, beside what was counted. */
export interface GatewayState {
  readonly isReady: boolean;
  /** `undefined` without a cluster. */
  readonly isEngineUp: boolean | undefined;
  readonly startedAt: number;
  readonly log: LogStatus;
  readonly servers: readonly { readonly slug: string; readonly status: string; readonly tools: number }[];
  readonly upstreams: readonly { readonly server: string; readonly status: UpstreamStatus }[];
}

/** Counts calls, and writes all metrics in the text format of Prometheus. Names that callers choose make no series. */
export class Metrics {
  readonly #calls = new Map<string, Series>();
  readonly #durations = new Map<string, Durations>();

  add(record: CallRecord): void {
    const { server, outcome } = record;
    const tool = record.source === "none" ? OTHER : record.tool;
    const key = `${server}\n${tool}\n${outcome}`;
    const series = this.#calls.get(key) ?? this.#open(key, { server, tool, outcome, count: 0 });
    series.count += 1;
    this.#time(server, record.durationMs / 1000);
  }

  #open(key: string, series: Series): Series {
    if (this.#calls.size < MAX_SERIES) {
      this.#calls.set(key, series);
      return series;
    }
    const rest = this.#calls.get(OTHER) ?? { server: OTHER, tool: OTHER, outcome: series.outcome, count: 0 };
    this.#calls.set(OTHER, rest);
    return rest;
  }

  #time(server: string, seconds: number): void {
    let durations = this.#durations.get(server);
    if (durations === undefined) {
      if (this.#durations.size >= MAX_SERIES) return;
      durations = { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(server, durations);
    }
    durations.sum += seconds;
    durations.count += 1;
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  }

  write({ isReady, isEngineUp, startedAt, log, servers, upstreams }: GatewayState): string {
    const text = new MetricsText();
    if (isEngineUp !== undefined) {
      text.family("toolwire_gateway_engine_up", "gauge", "Whether the engine of the cluster can be reached.");
      text.sample("toolwire_gateway_engine_up", {}, Number(isEngineUp));
    }
    text.family("toolwire_gateway_ready", "gauge", "Whether the gateway takes calls.");
    text.sample("toolwire_gateway_ready", {}, Number(isReady));
    text.family("toolwire_gateway_start_time_seconds", "gauge", "When the gateway began to serve.");
    text.sample("toolwire_gateway_start_time_seconds", {}, startedAt / 1000);
    text.family("toolwire_gateway_calls_total", "counter", "Calls by server, tool and outcome.");
    for (const { server, tool, outcome, count } of this.#calls.values()) {
      text.sample("toolwire_gateway_calls_total", { server, tool, outcome }, count);
    }
    this.#writeDurations(text);
    text.family("toolwire_gateway_server_tools", "gauge", "Tools by server.");
    for (const { slug, status, tools } of servers) {
      text.sample("toolwire_gateway_server_tools", { server: slug, status }, tools);
    }
    text.family("toolwire_gateway_upstream_up", "gauge", "Whether an upstream is connected.");
    for (const { server, status } of upstreams) {
      const labels = { server, upstream: status.name, state: status.state };
      text.sample("toolwire_gateway_upstream_up", labels, Number(status.state === "connected"));
    }
    writeLog(text, log);
    return text.toString();
  }

  #writeDurations(text: MetricsText): void {
    const name = "toolwire_gateway_call_duration_seconds";
    text.family(name, "histogram", "Duration of calls by server.");
    for (const [server, { counts, sum, count }] of this.#durations) {
      let total = 0;
      for (const [index, bound] of BUCKETS.entries()) {
        total += counts[index] ?? 0;
        text.sample(`${name}_bucket`, { server, le: String(bound) }, total);
      }
      text.sample(`${name}_bucket`, { server, le: "+Inf" }, count);
      text.sample(`${name}_sum`, { server }, sum);
      text.sample(`${name}_count`, { server }, count);
    }
  }
}

function writeLog(text: MetricsText, { isHealthy, waiting, spoolBytes, lost, written }: LogStatus): void {
  const gauges: readonly (readonly [string, "gauge" | "counter", string, number])[] = [
    ["healthy", "gauge", "Whether the last write of the call log succeeded.", Number(isHealthy)],
    ["waiting_records", "gauge", "Records that are not in the database yet.", waiting],
    ["spool_bytes", "gauge", "Size of the spool.", spoolBytes],
    ["lost_records_total", "counter", "Records that were given up because the spool was full.", lost],
    ["written_records_total", "counter", "Records that were written to the database.", written],
  ];
  for (const [name, type, help, value] of gauges) {
    text.family(`toolwire_gateway_log_${name}`, type, help);
    text.sample(`toolwire_gateway_log_${name}`, {}, value);
  }
}

/** Text in the exposition format of Prometheus. */
class MetricsText {
  #text = "";

  family(name: string, type: "counter" | "gauge" | "histogram", help: string): void {
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  }

  sample(name: string, labels: { readonly [label: string]: string }, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    this.#text += `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
  }

  toString(): string {
    return this.#text;
  }
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
