import type { Gateway } from "../../gateway.ts";
import { readCount, readFilter, readRange, readStep } from "../http/query.ts";
import { invalid } from "../http/admin-error.ts";
import type { Route } from "../http/router.ts";
import type { ClientTotalsView, OverviewView, SeriesView, ToolTotalsView } from "../views.ts";

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
