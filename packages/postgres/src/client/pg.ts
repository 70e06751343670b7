import type { Database, Ears, Parameter, Pending, Row, Statement } from "./database.ts";

/** A client of a {@link PgPool}. */
export interface PgClient {
  query(query: {
    readonly name?: string;
    readonly text: string;
    readonly values?: unknown[];
  }): Promise<{ rows: unknown[] }>;
  on(
    event: "notification",
    listener: (message: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

/** A pool of `pg`: as much of it as is used here. */
export interface PgPool {
  connect(): Promise<PgClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  readonly totalCount: number;
  readonly options: { readonly max?: number | undefined };
}

/** Statements on connections of a pool of `pg`. */
export class PgDatabase implements Database {
  readonly #pool: PgPool;

  constructor(pool: PgPool) {
    this.#pool = pool;
    // A pool without such a listener ends the process when an idle connection breaks.
    pool.on("error", ignore);
  }

  run({ name, text }: Statement, values: readonly Parameter[]): Pending<readonly Row[]> {
    return this.#borrow(async (client) => {
      const { rows } = await client.query({ name, text, values: [...values] });
      return rows as readonly Row[];
    });
  }

  runScript(text: string): Pending<void> {
    return this.#borrow(async (client) => void (await client.query({ text })));
  }

  listen(channels: readonly string[], ears: Ears): Pending<() => void> {
    let isOver = false;
    let client: PgClient | undefined;
    const stop = (): void => {
      if (isOver) return;
      isOver = true;
      // Destroyed, since a connection that still listens must not come back into the pool.
      client?.release(true);
    };
    const lose = (): void => {
      if (isOver) return;
      stop();
      ears.lost();
    };
    const begin = async (): Promise<() => void> => {
      const own = await this.#pool.connect();
      if (isOver) {
        own.release();
        throw new Error("Nobody waits for this connection any more.");
      }
      client = own;
      own.on("error", lose);
      own.on("end", lose);
      own.on("notification", ({ channel, payload }) => {
        if (!isOver) ears.heard(payload ?? "", channel);
      });
      try {
        for (const channel of channels) await own.query({ text: `listen "${channel}"` });
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    };
    return { done: begin(), giveUp: stop };
  }

  release(): void {
    this.#pool.removeListener("error", ignore);
  }

  /** Lends a connection. One whose answer nobody waits for any more is destroyed: its next answer would be to this query. */
  #borrow<T>(use: (client: PgClient) => Promise<T>): Pending<T> {
    let isOver = false;
    let client: PgClient | undefined;
    const giveBack = (isBroken: boolean): void => {
      if (isOver) return;
      isOver = true;
      if (!isBroken) client?.removeListener("error", ignore);
      client?.release(isBroken);
    };
    const begin = async (): Promise<T> => {
      const own = await this.#pool.connect();
      if (isOver) {
        own.release();
        throw new Error("Nobody waits for this answer any more.");
      }
      client = own;
      // Without a listener, a connection that breaks ends the process. The query itself is rejected, too.
      own.on("error", ignore);
      try {
        const result = await use(own);
        giveBack(false);
        return result;
      } catch (error) {
        giveBack(!isAnswer(error));
        throw error;
      }
    };
    return { done: begin(), giveUp: () => giveBack(true) };
  }
}

/** Whether an error is an answer of Postgres, after which its connection goes on. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

function ignore(): void {}
