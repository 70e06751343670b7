/**
 * Metrics for Prometheus, for servers without a collector.
 *
 * @packageDocumentation
 */
export {
  createPrometheus,
  type AllowsReading,
  type Prometheus,
  type PrometheusListener,
  type PrometheusListenOptions,
} from "./prometheus/create-prometheus.ts";
