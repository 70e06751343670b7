import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Meter } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { TransportError, UsageError } from "@toolwire/protocol";
import { Metric } from "../conventions/names.ts";
import { expectFunction, expectOptions, type OptionNames } from "@toolwire/protocol/internal";

/** Decides whether a request may read the metrics. */
export type AllowsReading = (request: IncomingMessage) => boolean;

/** The options of {@link Prometheus.listen}. */
export interface PrometheusListenOptions {
  /** 0 picks any free port. Default 9464, that of OpenTelemetry's exporters. */
  readonly port?: number | undefined;
  /** Default `"127.0.0.1"`: only programs of this machine can read the metrics. */
  readonly host?: string | undefined;
  /** Decides who may read. Required for a host that other machines reach. Default: programs of this machine. */
  readonly allow?: AllowsReading | undefined;
}

/** Metrics in the text format of Prometheus. */
export interface Prometheus {
  /** Makes the metrics: give it to `serverTelemetry`, `clientTelemetry` or `gatewayTelemetry` as `meter`. */
  readonly meter: Meter;
  /**
   * Makes a handler for an HTTP server of yours, such as that of your application, which writes the metrics. `allow` decides who may
   * read them: behind a proxy, requests of strangers come from this machine, so that there is no default.
   */
  handler(allow: AllowsReading): (request: IncomingMessage, response: ServerResponse) => void;
  /** Serves the metrics at `/metrics` of a port of their own. */
  listen(options?: PrometheusListenOptions): Promise<PrometheusListener>;
  /** Stops making metrics. */
  close(): Promise<void>;
}

/** A port at which metrics are read. */
export interface PrometheusListener {
  readonly url: string;
  close(): Promise<void>;
}

const LISTEN_OPTIONS: OptionNames<PrometheusListenOptions> = { port: true, host: true, allow: true };

/** The metrics whose unit is the second. */
const DURATIONS: readonly string[] = [
  Metric.ServerOperation,
  Metric.ServerSession,
  Metric.ClientOperation,
  Metric.ClientSession,
];

/** The names of this machine, by which programs on it call it. A page of a browser can make other names lead here. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** The addresses of this machine. */
const LOOPBACK_ADDRESS = /^(?:localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/i;

/**
 * Makes metrics that a Prometheus server can read from this process, for servers without a collector. It uses OpenTelemetry's own
 * exporter: install `@opentelemetry/sdk-metrics` and `@opentelemetry/exporter-prometheus`.
 *
 * @example
 * ```ts
 * const prometheus = createPrometheus();
 * const server = createServer({ name: "weather", version: "1.0.0", observe: serverTelemetry({ meter: prometheus.meter }) });
 * await prometheus.listen({ port: 9464 });
 * ```
 */
export function createPrometheus(): Prometheus {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  // Collectors and Prometheus itself add the unit to the name. This exporter does not, so that dashboards would need two names.
  const views = DURATIONS.map((instrumentName) => ({ instrumentName, name: `${instrumentName}.seconds` }));
  const provider = new MeterProvider({ readers: [exporter], views });

  function handler(allow: AllowsReading): (request: IncomingMessage, response: ServerResponse) => void {
    expectFunction("allow", allow);
    return (request, response) => {
      const { method } = request;
      if (!allow(request)) return refuse(response, 403, "These metrics are not for you.");
      if (method !== "GET" && method !== "HEAD") return refuse(response, 405, "Metrics are read by GET.");
      exporter.getMetricsRequestHandler(request, response);
    };
  }

  async function listen(options: PrometheusListenOptions = {}): Promise<PrometheusListener> {
    const { port = 9464, host = "127.0.0.1", allow } = expectOptions("listen", options, LISTEN_OPTIONS);
    if (allow === undefined && !LOOPBACK_ADDRESS.test(host)) {
      const message = `Everybody who reaches ${host} could read the metrics: say who may, as in listen({ host, allow: (request) => … }).`;
      throw new UsageError("INVALID_ARGUMENT", message);
    }
    const handle = handler(allow ?? comesFromHere);
    const http = createServer((request, response) => {
      const [path] = (request.url ?? "").split("?");
      if (path === "/metrics") handle(request, response);
      else refuse(response, 404, "The metrics are at /metrics.");
    });
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error): void =>
        reject(
          new TransportError("CONNECT_FAILED", `Port ${port} of ${host} cannot be used: ${cause.message}`, { cause }),
        );
      http.once("error", fail);
      http.listen(port, host, () => {
        http.off("error", fail);
        resolve();
      });
    });
    const { port: chosen } = http.address() as AddressInfo;
    return { url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}/metrics`, close: () => end(http) };
  }

  return { meter: provider.getMeter("@toolwire/otel"), handler, listen, close: () => provider.shutdown() };
}

function comesFromHere({ headers, socket }: IncomingMessage): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  return LOOPBACK_ADDRESS.test(address) && LOOPBACK_HOST.test(headers.host ?? "");
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
}

function end(http: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}
