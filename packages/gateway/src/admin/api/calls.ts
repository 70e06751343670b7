import type { Gateway } from "../../gateway.ts";
import { invalid, notFound } from "../http/admin-error.ts";
import { readCount, readFilter, readRange } from "../http/query.ts";
import { WRITTEN } from "../http/reply.ts";
import type { Route } from "../http/router.ts";
import type { CallsView } from "../views.ts";
import { writeExport } from "./export.ts";
import { LiveStreams } from "./live.ts";

/** `calls`: the call log as a list, one call, a file, and live. */
export function callRoutes(gateway: Gateway, now: () => number): readonly Route[] {
  const { calls } = gateway.storage;
  const live = new LiveStreams(calls);
  return [
    {
      method: "GET",
      path: "calls",
      run: async ({ query }) => {
        const before = query.get("before");
        const view: CallsView = await calls.calls(readRange(query, now()), {
          filter: readFilter(query),
          limit: readCount(query, "limit", 50, 500),
          failuresOnly: query.get("failures") === "true",
          ...(before === null ? {} : { before: before.slice(0, 256) }),
        });
        return { json: view };
      },
    },
    {
      method: "GET",
      path: "calls/export",
      run: async (request) => {
        const format = request.query.get("format") ?? "jsonl";
        if (format !== "jsonl" && format !== "csv") throw invalid("`format` must be jsonl or csv.");
        const records = calls.export(readRange(request.query, now()), readFilter(request.query));
        await writeExport(request, records, format);
        return WRITTEN;
      },
    },
    {
      method: "GET",
      path: "calls/live",
      run: (request) => {
        live.open(request, readFilter(request.query));
        return WRITTEN;
      },
    },
    {
      method: "GET",
      path: "calls/:id",
      run: async ({ params }) => {
        const call = await calls.call((params["id"] ?? "").slice(0, 64));
        if (call === undefined) {
          throw notFound("There is no call of this id. It may be older than the log keeps calls.");
        }
        return { json: { call } };
      },
    },
  ];
}
