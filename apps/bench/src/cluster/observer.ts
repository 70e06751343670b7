/** What observes a server whose telemetry is measured. */
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  NodeTracerProvider,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";
import type { ServerObserver } from "@toolwire/server";
import { serverTelemetry } from "@toolwire/otel/server";
import { SAMPLED, type Wiring } from "./wiring.ts";

/** Spans are made and gathered into batches, and go nowhere: what a collector costs is not ours. */
class Nowhere extends InMemorySpanExporter {
  override export(...given: Parameters<InMemorySpanExporter["export"]>): void {
    super.export(...given);
    this.reset();
  }
}

/** Registers an SDK, unless there is to be none, and makes the observer. */
export function createObserver(telemetry: Exclude<Wiring["telemetry"], undefined>): ServerObserver {
  if (telemetry !== "no SDK") {
    new NodeTracerProvider({
      spanProcessors: [new BatchSpanProcessor(new Nowhere())],
      ...(telemetry === "sampled" && { sampler: new TraceIdRatioBasedSampler(SAMPLED) }),
    }).register();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] }));
  }
  return serverTelemetry();
}
