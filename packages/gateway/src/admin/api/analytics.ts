import type { Gateway } from "../../gateway.ts";
import type { CallLog } from "../../log/call-log.ts";
import { readCount, readFilter, readRange, readStep } from "../http/query.ts";
import { invalid } from "../http/admin-error.ts";
import type { Route } from "../http/router.ts";
import type { ClientTotalsView, OverviewView, SeriesView, SpanView, ToolTotalsView } from "../views.ts";

/** `analytics`: figures of a time span, over time, by tool and by client. */
export function analyticsRoutes(gateway: Gateway, now: () => number): readonly Route[] {
  const { calls } = gateway.storage;
  return [
    {
      method: "GET",
      path: "analytics/overview",
      run: async ({ query }) => {
        const range = readRange(query, now());
        const filter = readFilter(query);
        const span = range.to - range.from;
        const [totals, before] = await Promise.all([
          calls.totals(range, filter),
          calls.totals({ from: range.from - span, to: range.from }, filter),
        ]);
        const view: OverviewView = { totals, before, servers: countServers(gateway) };
        return { json: view };
      },
    },
    {
      method: "GET",
      path: "analytics/span",
      run: async () => {
        const view: SpanView = { span: await findSpan(calls, now()) };
        return { json: view };
      },
    },
    {
      method: "GET",
      path: "analytics/series",
      run: async ({ query }) => {
        const range = readRange(query, now());
        const step = readStep(query, range);
        // Whole intervals, so that the bars of a chart stay where they are while time goes on.
        const to = Math.ceil(range.to / step) * step;
        const from = Math.max(0, to - Math.ceil((range.to - range.from) / step) * step);
        const points = await calls.series({ from, to }, step, readFilter(query));
        const view: SeriesView = { from, to, step, points };
        return { json: view };
      },
    },
    {
      method: "GET",
      path: "analytics/tools",
      run: async ({ query }) => {
        const by = query.get("by") ?? "calls";
        if (by !== "calls" && by !== "failures") throw invalid("`by` must be calls or failures.");
        const limit = readCount(query, "limit", 10, 100);
        const tools = await calls.tools(readRange(query, now()), { by, limit, filter: readFilter(query) });
        const view: ToolTotalsView = { tools };
        return { json: view };
      },
    },
    {
      method: "GET",
      path: "analytics/clients",
      run: async ({ query }) => {
        const clients = await calls.clients(readRange(query, now()), readCount(query, "limit", 20, 100));
        const view: ClientTotalsView = { clients };
        return { json: view };
      },
    },
  ];
}

/** Spans from the longest to the shortest. Each fits if there are calls that the next shorter one would leave out. */
const SPANS: readonly { readonly id: SpanView["span"]; readonly shorter: number }[] = [
  { id: "24h", shorter: 6 * 3_600_000 },
  { id: "6h", shorter: 3_600_000 },
  { id: "1h", shorter: 900_000 },
  { id: "15m", shorter: 0 },
];

/** How far back calls are looked for. */
const LONG_AGO = 400 * 86_400_000;

/** On its first day, a log would be a single bar at the edge of a day. */
async function findSpan(log: CallLog, now: number): Promise<SpanView["span"]> {
  for (const { id, shorter } of SPANS) {
    const { calls } = await log.calls({ from: now - LONG_AGO, to: now - shorter }, { limit: 1 });
    if (calls.length > 0) return id;
  }
  return "24h";
}

function countServers(gateway: Gateway): OverviewView["servers"] {
  const servers = gateway.servers();
  const count = (status: string): number => servers.filter((server) => server.status === status).length;
  return {
    active: count("active"),
    paused: count("paused"),
    draft: count("draft"),
    withProblems: servers.filter((server) => server.problems.length > 0).length,
  };
}
