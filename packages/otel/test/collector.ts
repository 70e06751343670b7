/** A collector on loopback that takes OTLP as JSON, and the SDK's own exporters that send to it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

/** A span as OTLP has it, with its attributes by name. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: { readonly [name: string]: unknown };
}

/** One series of a metric. */
export interface ExportedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: { readonly [name: string]: unknown };
  readonly count: number | undefined;
  readonly value: number | undefined;
  readonly bounds: readonly number[] | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the JSON of OTLP, which tests look into.
type Json = any;

/** Kinds of spans as OTLP numbers them. */
export const Kind = { Server: 2, Client: 3 } as const;

/** A registered SDK that exports to a collector of this process. */
export class Collector {
  /** All that was received, as it came. */
  readonly bodies: string[];
  readonly #tracers: NodeTracerProvider;
  readonly #meters: MeterProvider;
  readonly #close: () => Promise<void>;

  static async start(): Promise<Collector> {
    const bodies: string[] = [];
    const http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return new Collector(url, bodies, async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    });
  }

  constructor(url: string, bodies: string[], close: () => Promise<void>) {
    this.bodies = bodies;
    this.#close = close;
    this.#tracers = new NodeTracerProvider({
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
    });
    this.#tracers.register();
    const exporter = new OTLPMetricExporter({ url: `${url}/v1/metrics` });
    this.#meters = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    });
    metrics.setGlobalMeterProvider(this.#meters);
  }

  /** Everything until now, as the exporters have sent it. */
  async spans(): Promise<ExportedSpan[]> {
    await this.#tracers.forceFlush();
    return this.#received("resourceSpans").flatMap(({ scopeSpans }: Json) =>
      scopeSpans.flatMap(({ spans }: Json) =>
        spans.map((span: Json) => ({
          ...span,
          parentSpanId: span.parentSpanId === "" ? undefined : span.parentSpanId,
          links: span.links ?? [],
          attributes: byName(span.attributes),
        })),
      ),
    );
  }

  async points(): Promise<ExportedPoint[]> {
    await this.#meters.forceFlush();
    const last = this.#received("resourceMetrics").at(-1);
    return (last?.scopeMetrics ?? []).flatMap(({ metrics: exported }: Json) =>
      exported.flatMap(({ name, unit, histogram, sum }: Json) =>
        (histogram ?? sum).dataPoints.map((point: Json) => ({
          metric: name,
          unit,
          attributes: byName(point.attributes),
          count: point.count === undefined ? undefined : Number(point.count),
          value: point.asDouble ?? (point.asInt === undefined ? undefined : Number(point.asInt)),
          bounds: point.explicitBounds,
        })),
      ),
    );
  }

  #received(kind: "resourceSpans" | "resourceMetrics"): Json[] {
    return this.bodies.flatMap((body) => (JSON.parse(body) as Json)[kind] ?? []);
  }

  async stop(): Promise<void> {
    await this.#tracers.shutdown();
    await this.#meters.shutdown();
    await this.#close();
    trace.disable();
    metrics.disable();
    propagation.disable();
    context.disable();
  }
}

function byName(attributes: Json[] = []): { [name: string]: unknown } {
  return Object.fromEntries(
    attributes.map(({ key, value }: Json) => [key, value.stringValue ?? value.intValue ?? value.boolValue ?? value]),
  );
}
