import postgres from "postgres";
import type { LocalDatabase } from "../../log/database/database.ts";

/** A Postgres server. */
export interface PostgresDatabase extends LocalDatabase {
  /**
   * Listens to a channel until the database is closed. `onListen` is called whenever the connection is there, at first and
   * again after it was lost: read again then, because notices in between are gone.
   */
  listen(channel: string, onNotice: (payload: string) => void, onListen: () => void): Promise<void>;
}

/** Opens connections to a Postgres as they are needed, `most` at once. They are opened again after they were lost. */
export function openPostgres(url: string, most: number): PostgresDatabase {
  const sql = postgres(url, {
    max: most,
    connect_timeout: 10,
    idle_timeout: 60,
    // A connection that lives for ever pins memory of the server, and never moves to another one behind the same name.
    max_lifetime: 30 * 60,
    backoff: (attempt) => Math.min(5, 0.1 * 2 ** attempt),
    onnotice: () => undefined,
    connection: { application_name: "toolwire-gateway", statement_timeout: 60_000 },
    // Statements are few and repeated: the server plans them once for each connection.
    prepare: true,
  });
  return {
    kind: "postgres",
    query: async (statement, values = []) =>
      plain(await sql.unsafe<never[]>(statement, [...values], { prepare: true })),
    transaction: async <Result>(work: (database: Pick<LocalDatabase, "query">) => Promise<Result>) => {
      const result = await sql.begin((transaction) =>
        work({
          query: async (statement, values = []) => plain(await transaction.unsafe<never[]>(statement, [...values])),
        }),
      );
      return result as Result;
    },
    run: async (statements) => {
      await sql.begin((transaction) => transaction.unsafe(statements).simple());
    },
    async listen(channel, onNotice, onListen) {
      await sql.listen(channel, onNotice, onListen);
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/** Rows without what the driver adds to its lists, so that they can be compared and sent to other threads. */
function plain<Row>(rows: readonly Row[]): readonly Row[] {
  return [...rows];
}
