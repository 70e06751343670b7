import type { Statement } from "../client/database.ts";
import { type Engine, prepare } from "../engine/engine.ts";

/** How many rows one statement deletes, and how many statements one node runs for a table before it pauses. */
const BATCH = 500;
const MAX_BATCHES = 20;

/** Pauses of a node, in milliseconds: chosen at random between these, so that nodes take turns. */
const SHORTEST_PAUSE = 10_000;
const LONGEST_PAUSE = 30_000;

/** Deletes rows whose time has ended. All nodes do; rows that another one is deleting are left to it. */
export class Sweeper {
  readonly #engine: Engine;
  readonly #statements: readonly Statement[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = true;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    const sweep = (table: string, condition = "expires_at <= now()"): Statement =>
      prepare(`
delete from ${schema}.${table} where ctid = any (array(
  select ctid from ${schema}.${table} where ${condition} limit ${BATCH} for update skip locked
)) and ${condition} returning 'true' as deleted`);
    this.#statements = [
      sweep("session"),
      sweep("stream"),
      sweep("message"),
      sweep("once"),
      sweep("bucket", "full_at <= extract(epoch from now()) * 1000"),
      // A node that is late may come back. It is remembered for a while how long it has been there.
      sweep("node", "expires_at <= now() - interval '1 minute'"),
    ];
  }

  /** Sweeps from time to time. */
  begin(): void {
    if (!this.#isOpen) return;
    const pause = SHORTEST_PAUSE + Math.random() * (LONGEST_PAUSE - SHORTEST_PAUSE);
    this.#timer = setTimeout(() => {
      this.sweep().then(
        () => this.begin(),
        () => this.begin(),
      );
    }, pause);
  }

  /** Sweeps once. */
  async sweep(): Promise<void> {
    for (const statement of this.#statements) {
      for (let batch = 0; batch < MAX_BATCHES && this.#isOpen; batch++) {
        if ((await this.#engine.run(statement, [])).length < BATCH) break;
      }
    }
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }
}
