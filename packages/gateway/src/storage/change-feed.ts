import type { Database } from "../log/database/database.ts";
import type { ChangeKind } from "./change-listeners.ts";

/** The channel on which gateways tell each other of changes. */
export const CHANGE_CHANNEL = "toolwire_changes";

const POLL_INTERVAL = 30_000;

/**
 * Wraps a statement that changes something: counts the change, and tells other gateways of it. A notice has the kind and the
 * version, and the change itself is in the tables. `change` must return rows if it has changed something.
 */
export function changing(kind: ChangeKind, change: string): string {
  return `with changed as (${change}),
    counted as (update toolwire.changes set version = version + 1
      where kind = '${kind}' and exists (select from changed) returning version),
    told as materialized (select pg_notify('${CHANGE_CHANNEL}', '${kind}:' || version) from counted)
    select changed.*, (select count(*)::int from told) as told from changed`;
}

/** Keeps what is in memory up to date with the tables. */
export class ChangeFeed {
  readonly #database: Database;
  readonly #load: (kind: ChangeKind) => Promise<void>;
  readonly #onChange: (kind: ChangeKind) => void;
  readonly #onError: (error: unknown) => void;
  readonly #versions = new Map<ChangeKind, string>();
  #checking: Promise<void> | undefined;
  #isAgainNeeded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    database: Database,
    load: (kind: ChangeKind) => Promise<void>,
    onChange: (kind: ChangeKind) => void,
    onError: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#load = load;
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Loads everything, and from then on looks for changes every 30 seconds: notices get lost with a connection. */
  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => void this.check(), POLL_INTERVAL).unref();
  }

  /** Loads what has changed. Resolves when everything that was committed before is in memory. Never throws. */
  async check(): Promise<void> {
    // A look that is under way may have read the versions before the change.
    if (this.#checking !== undefined) {
      this.#isAgainNeeded = true;
      await this.#checking;
      return;
    }
    this.#checking = this.#lookUntilDone();
    await this.#checking;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #lookUntilDone(): Promise<void> {
    try {
      do {
        this.#isAgainNeeded = false;
        await this.#look();
      } while (this.#isAgainNeeded);
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#checking = undefined;
    }
  }

  async #look(): Promise<void> {
    const rows = await this.#database.query<{ kind: ChangeKind; version: string }>(
      "select kind, version::text as version from toolwire.changes",
    );
    for (const { kind, version } of rows) {
      if (this.#versions.get(kind) === version) continue;
      await this.#load(kind);
      const isFirst = !this.#versions.has(kind);
      this.#versions.set(kind, version);
      if (!isFirst) this.#onChange(kind);
    }
  }
}
