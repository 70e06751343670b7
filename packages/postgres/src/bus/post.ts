import type { Parameter } from "../client/database.ts";
import { type Engine, prepare } from "../engine/engine.ts";
import { bytesOf } from "../engine/values.ts";
import type { Packet } from "./packets.ts";
import type { Seal } from "./seal.ts";

/** Notifications have at most 7999 bytes, of which a packet has three quarters, without its seal and its other members. */
const MAX_PAYLOAD = 7900;

/** How long the body of a large message is kept, in milliseconds: longer than anybody waits for a reply. */
const KEPT_FOR = 60_000;

/** How long a node has to be in the cluster, without a break, to know that one that it does not find has ended. In milliseconds. */
const SURE_AFTER = 10_000;

/** Sends packets to channels, and finds large bodies. */
export class Post {
  readonly #engine: Engine;
  readonly #own: string;
  readonly #seal: () => Seal;
  readonly #statements: ReturnType<typeof writeStatements>;

  /** `own` names this node. */
  constructor(engine: Engine, schema: string, own: string, seal: () => Seal) {
    this.#engine = engine;
    this.#own = own;
    this.#seal = seal;
    this.#statements = writeStatements(schema);
  }

  /** Sends a packet to everybody who listens to a channel. */
  async send(channel: string, packet: Packet): Promise<void> {
    const { payload, row, body } = this.#pack(channel, packet);
    if (row === null) await this.#engine.run(this.#statements.notify, [channel, payload]);
    else await this.#engine.run(this.#statements.keepAndNotify, [channel, payload, row, body]);
  }

  /** Sends a packet to a node, unless it has surely ended. Returns whether it was sent. */
  async sendTo(node: string, channel: string, packet: Packet): Promise<boolean> {
    const { payload, row, body } = this.#pack(channel, packet);
    const values: Parameter[] = [channel, payload, node, this.#own];
    const sent =
      row === null
        ? await this.#engine.runForRow(this.#statements.notifyNode, values)
        : await this.#engine.runForRow(this.#statements.keepAndNotifyNode, [...values, row, body]);
    return sent["state"] !== "gone";
  }

  /** The body of a packet: JSON text. `undefined` if it is not there any more, or was too large to be sent. */
  async findBody({ body, row }: Packet): Promise<string | undefined> {
    if (body !== undefined || row === undefined) return body;
    return (await this.#engine.runForRow(this.#statements.find, [row]))["body"] ?? undefined;
  }

  #pack(
    channel: string,
    packet: Packet,
  ): { readonly payload: string; readonly row: Parameter; readonly body: Parameter } {
    // Seals turn three bytes into four characters: what is too long without one need not be sealed to find out.
    if (bytesOf(packet.body ?? "") < MAX_PAYLOAD) {
      const payload = this.#close(channel, packet);
      if (payload.length <= MAX_PAYLOAD) return { payload, row: null, body: null };
    }
    const { body, ...head } = packet;
    const row = crypto.randomUUID();
    return { payload: this.#close(channel, { ...head, row }), row, body: body ?? null };
  }

  #close(channel: string, packet: Packet): string {
    return `s${this.#seal().close(JSON.stringify(packet), channel)}`;
  }
}

function writeStatements(schema: string) {
  // A node has ended if it says so, or if its time has run out: but not while everybody's may have, since Postgres was paused
  // or has forgotten all nodes in a crash.
  const verdict = `verdict as (
  select case
    when exists (select from ${schema}.node where name = $3::text and ended) then 'gone'
    when exists (select from ${schema}.node where name = $3::text and expires_at > now()) then 'there'
    when exists (select from ${schema}.node where name = $4::text and expires_at > now()
      and since < now() - ${SURE_AFTER} * interval '1 ms') then 'gone'
    else 'unknown' end as state
)`;
  const notifyUnlessGone =
    "select state, case when state <> 'gone' then pg_notify($1::text, $2::text)::text end as sent from verdict";
  const keep = (id: string, body: string): string =>
    `kept as (
  insert into ${schema}.message (id, body, expires_at)
  values (${id}::text::uuid, ${body}::text, now() + ${KEPT_FOR} * interval '1 ms')
)`;
  return {
    notify: prepare("select pg_notify($1::text, $2::text)::text as sent"),
    keepAndNotify: prepare(`with ${keep("$3", "$4")} select pg_notify($1::text, $2::text)::text as sent`),
    notifyNode: prepare(`with ${verdict} ${notifyUnlessGone}`),
    keepAndNotifyNode: prepare(`with ${verdict}, ${keep("$5", "$6")} ${notifyUnlessGone}`),
    find: prepare(`select body from ${schema}.message where id = $1::text::uuid and expires_at > now()`),
  };
}
