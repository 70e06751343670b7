import type { Database, Ears, Parameter, Pending, Row, Statement } from "./database.ts";

/** A query of `postgres`. */
export interface PostgresJsQuery extends PromiseLike<readonly unknown[]> {
  cancel(): void;
}

/** The `sql` of `postgres`, also known as postgres.js: as much of it as is used here. */
export interface PostgresJs {
  unsafe(query: string, parameters?: (string | null)[], options?: { readonly prepare?: boolean }): PostgresJsQuery;
  listen(
    channel: string,
    heard: (payload: string) => void,
    listens?: () => void,
  ): Promise<{ unlisten: () => Promise<void> }>;
}

/** Statements on connections of postgres.js. */
export class PostgresJsDatabase implements Database {
  readonly #sql: PostgresJs;

  constructor(sql: PostgresJs) {
    this.#sql = sql;
  }

  run({ text }: Statement, values: readonly Parameter[]): Pending<readonly Row[]> {
    const query = this.#sql.unsafe(text, [...values], { prepare: true });
    return { done: Promise.resolve(query) as Promise<readonly Row[]>, giveUp: () => query.cancel() };
  }

  runScript(text: string): Pending<void> {
    const query = this.#sql.unsafe(text);
    return { done: Promise.resolve(query).then(() => {}), giveUp: () => query.cancel() };
  }

  /** The client makes another connection when the one that listens is lost, and says so when it listens again. */
  listen(channels: readonly string[], ears: Ears): Pending<() => void> {
    let isOver = false;
    const begun = new Set<string>();
    const stops: (() => Promise<void>)[] = [];
    const stop = (): void => {
      isOver = true;
      for (const unlisten of stops.splice(0)) unlisten().catch(() => {});
    };
    const begin = async (): Promise<() => void> => {
      for (const channel of channels) {
        const hear = (payload: string): void => {
          if (!isOver) ears.heard(payload, channel);
        };
        const { unlisten } = await this.#sql.listen(channel, hear, () => {
          if (begun.has(channel) && !isOver) ears.again();
          begun.add(channel);
        });
        stops.push(unlisten);
        if (isOver) stop();
      }
      return stop;
    };
    return { done: begin(), giveUp: stop };
  }

  release(): void {}
}
