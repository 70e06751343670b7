import { UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { Database } from "./database.ts";
import { PgDatabase, type PgPool } from "./pg.ts";
import { type PostgresJs, PostgresJsDatabase } from "./postgres-js.ts";

/** What `postgresCluster` and `postgresTaskStore` take: a pool of `pg`, or the `sql` of `postgres` (postgres.js). */
export type PostgresClient = PgPool | PostgresJs;

/** Finds out which client the function `caller` was given. Throws a `UsageError` that says what to pass instead. */
export function openDatabase(client: PostgresClient, caller: string): Database {
  if (isPostgresJs(client)) return new PostgresJsDatabase(client);
  if (!isPgPool(client)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `${caller} takes a pool of \`pg\`, as in \`new pg.Pool({ connectionString })\`, or the \`sql\` of \`postgres\`, as in \`postgres(url)\`; got ${describe(client)}.`,
    );
  }
  if (client.options.max === 1) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The pool of \`pg\` has a \`max\` of 1, and ${caller} keeps one connection to listen: set \`max\` to at least 2.`,
    );
  }
  return new PgDatabase(client);
}

function isPostgresJs(client: unknown): client is PostgresJs {
  return (
    typeof client === "function" &&
    "unsafe" in client &&
    typeof client.unsafe === "function" &&
    "listen" in client &&
    typeof client.listen === "function"
  );
}

function isPgPool(client: unknown): client is PgPool {
  return (
    isObject(client) &&
    typeof client["connect"] === "function" &&
    typeof client["totalCount"] === "number" &&
    isObject(client["options"])
  );
}

/** Says what something is without showing it: connection strings hold passwords. */
function describe(client: unknown): string {
  if (typeof client === "string") return "text: make a client of the connection string first";
  if (isObject(client) && typeof client["query"] === "function") {
    return "a single connection, which could not listen and run statements at the same time";
  }
  return client === null || client === undefined ? String(client) : `a value of the type ${typeof client}`;
}
