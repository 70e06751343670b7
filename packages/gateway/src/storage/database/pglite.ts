import { PGlite } from "@electric-sql/pglite";
import type { LocalDatabase } from "../../log/database/database.ts";

/**
 * Opens the embedded Postgres in a folder, and makes it if there is none. It runs in the thread that opens it and blocks its
 * event loop while it works: use it in a worker.
 */
export async function openPglite(folder: string): Promise<LocalDatabase> {
  const database = await PGlite.create(folder);
  return {
    kind: "pglite",
    query: async (statement, values = []) => (await database.query<never>(statement, [...values])).rows,
    transaction: (work) =>
      database.transaction((transaction) =>
        work({
          query: async (statement, values = []) => (await transaction.query<never>(statement, [...values])).rows,
        }),
      ),
    run: async (statements) => {
      await database.transaction((transaction) => transaction.exec(statements));
    },
    close: () => database.close(),
  };
}
