import { createHash } from "node:crypto";
import { ClusterError } from "@toolwire/server/cluster";
import type { Database, Parameter, Pending, Row, Statement } from "../client/database.ts";
import { isConflict, isRefusal, readSqlState, StatementError } from "./failures.ts";

/** After so many failures in a row, statements are refused at once, but for one in each `PROBE_MS`. */
const MAX_FAILURES = 3;
const PROBE_MS = 500;

/** How often a statement is repeated that got in the way of others. */
const MAX_CONFLICTS = 3;

/** Runs statements, each with a deadline of ours: neither client has one that covers a server which says nothing. */
export class Engine {
  readonly database: Database;
  readonly #deadline: number;
  /** What statements are told that come too late. */
  readonly #farewell: string;
  /** Hears whether Postgres can be reached, whenever that has changed. */
  readonly stateChanged: Set<(isUp: boolean) => void> = new Set<(isUp: boolean) => void>();
  #failures = 0;
  #nextProbe = 0;
  #isUp = true;
  #isOpen = true;

  /** `deadline` in milliseconds. */
  constructor(database: Database, deadline: number, farewell = "This node has left its cluster.") {
    this.database = database;
    this.#deadline = deadline;
    this.#farewell = farewell;
  }

  get isUp(): boolean {
    return this.#isUp && this.#isOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async run(statement: Statement, values: readonly Parameter[]): Promise<readonly Row[]> {
    for (let conflicts = 0; ; conflicts++) {
      this.#expectOpen();
      try {
        return await this.#settle(this.database.run(statement, values));
      } catch (error) {
        if (!isConflict(readSqlState(error)) || conflicts >= MAX_CONFLICTS) throw this.#fail(error);
      }
    }
  }

  /** The first row of a statement that returns one. */
  async runForRow(statement: Statement, values: readonly Parameter[]): Promise<Row> {
    const [row] = await this.run(statement, values);
    return row ?? {};
  }

  /** Waits for something that was asked of Postgres, at most until the deadline: for `times` as long as for a statement. */
  async within<T>(pending: Pending<T>, times = 1): Promise<T> {
    try {
      return await this.#settle(pending, this.#deadline * times);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Refuses all statements from now on. */
  close(): void {
    this.#isOpen = false;
  }

  async #settle<T>({ done, giveUp }: Pending<T>, deadline = this.#deadline): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new ClusterError("UNAVAILABLE", `Postgres has not answered within ${deadline} milliseconds.`));
        giveUp();
      }, deadline);
    });
    done.catch(() => {});
    try {
      const result = await Promise.race([done, late]);
      this.#failures = 0;
      this.#setUp(true);
      return result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts a failure, and returns the error for it. */
  #fail(error: unknown): ClusterError {
    const failure = error instanceof ClusterError ? error : new StatementError(error);
    if (failure instanceof StatementError && isRefusal(failure.state)) {
      this.#failures = 0;
      this.#setUp(true);
      return failure;
    }
    this.#failures += 1;
    this.#nextProbe = performance.now() + PROBE_MS;
    this.#setUp(false);
    return failure;
  }

  #expectOpen(): void {
    if (!this.#isOpen) throw new ClusterError("UNAVAILABLE", this.#farewell);
    if (this.#failures < MAX_FAILURES) return;
    const now = performance.now();
    if (now < this.#nextProbe) {
      throw new ClusterError("UNAVAILABLE", "Postgres could not be reached a moment ago.");
    }
    this.#nextProbe = now + PROBE_MS;
  }

  #setUp(isUp: boolean): void {
    if (this.#isUp === isUp) return;
    this.#isUp = isUp;
    if (!this.#isOpen) return;
    for (const listener of this.stateChanged) listener(isUp);
  }
}

/** Names a statement by its text, so that two versions of this package can share the connections of a pool. */
export function prepare(text: string): Statement {
  return { name: `toolwire_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`, text };
}
