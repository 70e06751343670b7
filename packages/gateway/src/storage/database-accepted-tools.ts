import type { Database } from "../log/database/database.ts";
import type { AcceptedToolStore } from "./storage.ts";

interface AcceptedRow {
  readonly tools: { readonly [tool: string]: string };
}

/** Accepted tools in the database, shared by all gateways on it. They are read when an upstream is listed first. */
export function databaseAcceptedTools(database: Database, now: () => number): AcceptedToolStore {
  return {
    async get(server, upstream) {
      const [row] = await database.query<AcceptedRow>(
        "select tools from toolwire.accepted_tools where server = $1 and upstream = $2",
        [server, upstream],
      );
      return row?.tools;
    },
    async set(server, upstream, tools) {
      await database.query(
        `insert into toolwire.accepted_tools (server, upstream, tools, updated_at)
         values ($1, $2, $3::text::json, to_timestamp($4::float8 / 1000))
         on conflict (server, upstream) do update set tools = excluded.tools, updated_at = excluded.updated_at`,
        [server, upstream, JSON.stringify(tools), now()],
      );
    },
  };
}
