import { describe, expect, test } from "vitest";
import type { CallRecord } from "../../src/log/call-record.ts";
import { type GatewayState, Metrics } from "../../src/listener/metrics.ts";
import { makeRecord } from "../log/records.ts";

const LOG = {
  store: "memory",
  isHealthy: true,
  waiting: 3,
  spoolBytes: 4,
  lost: 5,
  skipped: 6,
  written: 7,
  notices: [],
} as const;
const STATE: GatewayState = {
  isReady: true,
  isEngineUp: undefined,
  startedAt: 1500,
  log: LOG,
  servers: [],
  upstreams: [],
};

/** The samples of metrics with a prefix, by what stands before their value. */
function samplesOf(metrics: Metrics, prefix: string, state: Partial<GatewayState> = {}): Record<string, number> {
  const lines = metrics.write({ ...STATE, ...state }).split("\n");
  return Object.fromEntries(
    lines
      .filter((line) => line.startsWith(prefix))
      .map((line) => [line.slice(prefix.length, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** Metrics that have counted these calls. */
function metricsOf(...records: readonly Partial<CallRecord>[]): Metrics {
  const metrics = new Metrics();
  for (const record of records) metrics.add(makeRecord(record));
  return metrics;
}

const CALLS = "toolwire_gateway_calls_total";
const DURATION = "toolwire_gateway_call_duration_seconds";

test("Calls are counted by server, tool and outcome, and a tool that does not exist makes no series of its own", () => {
  const metrics = metricsOf(
    { tool: "a" },
    { tool: "a" },
    { tool: "a", outcome: "error" },
    { tool: 'quoted "b"\\\n' },
    { tool: "made up", source: "none", outcome: "unknown-tool" },
    { tool: "made up as well", source: "none", outcome: "unknown-tool" },
  );
  expect(samplesOf(metrics, CALLS)).toEqual({
    '{server="weather",tool="a",outcome="ok"}': 2,
    '{server="weather",tool="a",outcome="error"}': 1,
    '{server="weather",tool="quoted \\"b\\"\\\\\\n",outcome="ok"}': 1,
    '{server="weather",tool="other",outcome="unknown-tool"}': 2,
  });
});

test("A duration counts in every bucket whose bound it does not exceed", () => {
  const metrics = metricsOf(...[1, 1.5, 25, 60_000, 60_001].map((durationMs) => ({ durationMs })));
  const samples = samplesOf(metrics, DURATION);
  const below = (bound: string): number | undefined => samples[`_bucket{server="weather",le="${bound}"}`];
  const bounds = "0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 +Inf".split(" ");
  expect(bounds.map(below)).toEqual([1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5]);
  expect(Object.keys(samples)).toHaveLength(bounds.length + 2);
  expect(samples['_count{server="weather"}']).toBe(5);
  expect(samples['_sum{server="weather"}']).toBeCloseTo(120.0285, 6);
});

describe("Series are limited", () => {
  test("to ten thousand of calls, beyond which they are counted together", () => {
    const metrics = new Metrics();
    for (let index = 0; index < 10_002; index += 1) metrics.add(makeRecord({ tool: `tool ${index}` }));
    metrics.add(makeRecord({ tool: "tool 0" }));
    const samples = samplesOf(metrics, CALLS);
    expect(Object.keys(samples)).toHaveLength(10_001);
    expect(samples['{server="weather",tool="tool 0",outcome="ok"}']).toBe(2);
    expect(samples['{server="weather",tool="tool 9999",outcome="ok"}']).toBe(1);
    expect(samples['{server="other",tool="other",outcome="ok"}']).toBe(2);
  });

  test("to the durations of ten thousand servers", () => {
    const metrics = new Metrics();
    for (let index = 0; index < 10_001; index += 1) metrics.add(makeRecord({ server: `server ${index}` }));
    expect(Object.keys(samplesOf(metrics, `${DURATION}_count`))).toHaveLength(10_000);
  });
});

test("The state of the gateway, its servers, its upstreams and its log are told", () => {
  const upstreams = (["connected", "connecting"] as const).map((state) => ({
    server: "s",
    status: { name: state, state } as never,
  }));
  const state = { servers: [{ slug: "s", status: "active", tools: 2 }], upstreams };
  const metrics = new Metrics();
  expect(samplesOf(metrics, "toolwire_gateway_", state)).toEqual({
    ready: 1,
    start_time_seconds: 1.5,
    'server_tools{server="s",status="active"}': 2,
    'upstream_up{server="s",upstream="connected",state="connected"}': 1,
    'upstream_up{server="s",upstream="connecting",state="connecting"}': 0,
    log_healthy: 1,
    log_waiting_records: 3,
    log_spool_bytes: 4,
    log_lost_records_total: 5,
    log_written_records_total: 7,
  });
  const idle = samplesOf(metrics, "toolwire_gateway_", { isReady: false, log: { ...LOG, isHealthy: false } });
  expect([idle["ready"], idle["log_healthy"]]).toEqual([0, 0]);
  for (const isEngineUp of [true, false]) {
    expect(samplesOf(metrics, "toolwire_gateway_engine_up", { isEngineUp })).toEqual({ "": Number(isEngineUp) });
  }
});

test("Every sample belongs to a family that is named before it, once, with its type", () => {
  const text = metricsOf({}).write({ ...STATE, servers: [{ slug: "s", status: "active", tools: 2 }] });
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type] as const);
  expect(new Set(types.map(([name]) => name)).size).toBe(types.length);
  let family = "";
  for (const line of text.trimEnd().split("\n")) {
    const named = /^# (?:HELP|TYPE) (\S+) /.exec(line)?.[1];
    if (named === undefined) expect(line.startsWith(family)).toBe(true);
    else family = named;
  }
  expect(Object.fromEntries(types)).toEqual({
    toolwire_gateway_ready: "gauge",
    toolwire_gateway_start_time_seconds: "gauge",
    [CALLS]: "counter",
    [DURATION]: "histogram",
    toolwire_gateway_server_tools: "gauge",
    toolwire_gateway_upstream_up: "gauge",
    toolwire_gateway_log_healthy: "gauge",
    toolwire_gateway_log_waiting_records: "gauge",
    toolwire_gateway_log_spool_bytes: "gauge",
    toolwire_gateway_log_lost_records_total: "counter",
    toolwire_gateway_log_written_records_total: "counter",
  });
});
