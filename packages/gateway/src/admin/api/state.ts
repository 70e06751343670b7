import type { Gateway } from "../../gateway.ts";
import { readCount } from "../http/query.ts";
import type { Reply } from "../http/reply.ts";
import type { Route } from "../http/router.ts";
import { redactConfig } from "../redact-config.ts";
import type { AuditView, HealthView } from "../views.ts";

/** The state of the gateway: configuration, changes, health, metrics. */
export function stateRoutes(gateway: Gateway): readonly Route[] {
  return [
    { method: "GET", path: "config", run: () => ({ json: { config: redactConfig(gateway.config) } }) },
    {
      method: "GET",
      path: "audit",
      run: async ({ query }) => {
        const view: AuditView = { entries: await gateway.storage.audit.list(readCount(query, "limit", 100, 1000)) };
        return { json: view };
      },
    },
    { method: "GET", path: "health", run: () => ({ json: viewHealth(gateway) }) },
    { method: "GET", path: "metrics", run: () => writeMetrics(gateway) },
  ];
}

/** All metrics, as Prometheus reads them. */
export function writeMetrics(gateway: Gateway): Reply {
  return { text: gateway.metrics(), type: "text/plain; version=0.0.4; charset=utf-8" };
}

function viewHealth(gateway: Gateway): HealthView {
  const log = gateway.storage.calls.status();
  const isReady = gateway.isReady();
  const problems = [
    ...(isReady ? [] : ["The gateway does not take calls: it is starting or shutting down."]),
    ...(gateway.isEngineUp() === false ? ["The engine in which the gateways meet cannot be reached."] : []),
    ...(log.isHealthy ? [] : [`The call log cannot be written${log.error === undefined ? "" : `: ${log.error}`}.`]),
    ...(log.lost === 0 ? [] : [`${log.lost} records were lost, because the spool was full.`]),
    ...(log.skipped === 0 ? [] : [`${log.skipped} records could not be read back, or were refused by the database.`]),
    ...log.notices.map((notice) => `The spool of the call log was damaged: ${notice}`),
    ...findUnserved(gateway).map(
      (slug) => `The stored server ${slug} is not served. The gateway's log has the reason.`,
    ),
    ...gateway.servers().flatMap((server) => server.problems.map((problem) => `${server.slug}: ${problem}`)),
  ];
  return {
    status: isReady ? (problems.length === 0 ? "ok" : "degraded") : "down",
    isReady,
    node: gateway.node,
    startedAt: gateway.startedAt,
    url: gateway.url,
    log,
    // In whole mebibytes, so that a page that looks every few seconds is not told anew each time.
    memoryBytes: Math.round(process.memoryUsage.rss() / 1_048_576) * 1_048_576,
    problems,
  };
}

/** Servers that were made through the admin API, and cannot be built any more. */
function findUnserved(gateway: Gateway): readonly string[] {
  const stored = gateway.storage.servers.list().map(({ slug }) => slug);
  return stored.filter((slug) => gateway.server(slug) === undefined);
}
