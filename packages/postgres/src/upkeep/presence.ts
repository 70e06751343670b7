import { UsageError } from "@toolwire/protocol";
import { createNodeName } from "@toolwire/server/cluster";
import { type LogPosition, readPosition } from "../bus/change-log.ts";
import { type Engine, prepare } from "../engine/engine.ts";

/** How long a node counts as there after its last heartbeat, in milliseconds, and how often its heart beats. */
const PRESENT_FOR = 15_000;
const BEAT_EVERY = 5000;

/** How often it tries to while Postgres cannot be reached. */
const RETRY_EVERY = 500;

/** How long a ping of a node to itself may take, in milliseconds. */
const PING_DEADLINE = 4000;

/** How long it is known that a node has left, in milliseconds. */
const REMEMBERED_FOR = 60_000;

const DEAF =
  "Postgres confirmed that this node listens, and a notification to itself did not come. A pooler between them, such as PgBouncer in transaction mode, takes connections away after each statement: connect to Postgres directly.";

/** What a heartbeat is told of. */
export interface Pulse {
  /** What Postgres has said. */
  beaten(secret: string, log: LogPosition | undefined): void;
  /** The last ping of this node to itself has not come back: it does not hear notifications. */
  deaf(): void;
}

/**
 * Says at intervals that this node is there. The same statement finds out where the log of changes stands, in case a notification was
 * lost, and sends this node a ping: a connection may be dead without anybody having noticed.
 */
export class Presence {
  readonly #engine: Engine;
  readonly #node: string;
  readonly #own: string;
  readonly #all: string;
  readonly #pulse: Pulse;
  readonly #beat;
  readonly #leave;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = true;
  #pings = 0;
  #heard = 0;
  /** When the first ping was sent that has not come back. */
  #unheardSince: number | undefined;
  #pinged: (() => void) | undefined;

  /** `own` and `all` are the channels of this node and of all. */
  constructor(
    engine: Engine,
    schema: string,
    node: string,
    channels: { readonly own: string; readonly all: string },
    pulse: Pulse,
  ) {
    this.#engine = engine;
    this.#node = node;
    this.#own = channels.own;
    this.#all = channels.all;
    this.#pulse = pulse;
    this.#beat = prepare(`
with present as (
  insert into ${schema}.node as n (name, since, expires_at) values ($1::text, now(), now() + ${PRESENT_FOR} * interval '1 ms')
  on conflict (name) do update set expires_at = excluded.expires_at,
    since = case when n.expires_at > now() then n.since else excluded.since end
    where not n.ended
), begun as (
  insert into ${schema}.log (epoch) values ($2::text) on conflict do nothing returning epoch, last
), logs as (
  select epoch, last from begun union all select epoch, last from ${schema}.log
)
select i.secret, l.epoch, l.last::text as last, pg_notify($3::text, $4::text)::text as sent
from ${schema}.installation i left join logs l on true limit 1`);
    this.#leave = prepare(`
with gone as (
  update ${schema}.node set ended = true, expires_at = now() + ${REMEMBERED_FOR} * interval '1 ms' where name = $1::text
)
select pg_notify($2::text, 'g' || $1::text)::text as sent`);
    engine.stateChanged.add((isUp) => this.#schedule(isUp ? 0 : RETRY_EVERY));
  }

  /** Beats once, now. */
  async beat(): Promise<void> {
    this.#pings += 1;
    const values = [this.#node, createNodeName(), this.#own, `p${this.#pings}`];
    const { secret, epoch, last } = await this.#engine.runForRow(this.#beat, values);
    if (this.#heard < this.#pings) this.#unheardSince ??= performance.now();
    if (this.#isOpen && typeof secret === "string") this.#pulse.beaten(secret, readPosition(epoch, last));
  }

  /** Beats from now on, and resolves when this node has heard its own ping. */
  async begin(): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      this.#pinged = resolve;
    });
    await this.beat();
    this.#schedule(BEAT_EVERY);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new UsageError("INVALID_ARGUMENT", DEAF)), PING_DEADLINE);
    });
    await Promise.race([heard, late]).finally(() => clearTimeout(timer));
  }

  /** Takes a ping of this node to itself. */
  hear(payload: string): void {
    this.#heard = Math.max(this.#heard, Number(payload.slice(1)) || 0);
    if (this.#heard >= this.#pings) this.#unheardSince = undefined;
    this.#pinged?.();
  }

  /** This node listens again, and has missed what was sent before. */
  restart(): void {
    this.#heard = this.#pings;
    this.#unheardSince = undefined;
    this.#schedule(0);
  }

  /** Tells the others that this node has ended. */
  async leave(): Promise<void> {
    this.close();
    await this.#engine.run(this.#leave, [this.#node, this.#all]);
  }

  /** Beats no more. */
  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    if (!this.#isOpen) return;
    this.#timer = setTimeout(() => void this.#again(), pause * (0.8 + Math.random() * 0.2));
  }

  async #again(): Promise<void> {
    if (performance.now() - (this.#unheardSince ?? Infinity) > PING_DEADLINE) this.#pulse.deaf();
    try {
      await this.beat();
      this.#schedule(BEAT_EVERY);
    } catch {
      this.#schedule(RETRY_EVERY);
    }
  }
}
