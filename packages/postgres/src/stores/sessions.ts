import { UsageError } from "@toolwire/protocol";
import {
  ClusterError,
  type NewSession,
  type SessionChange,
  type SessionRecord,
  type SessionRoom,
  type SessionStore,
  type StreamHolder,
} from "@toolwire/server/cluster";
import type { Row } from "../client/database.ts";
import { type Engine, prepare } from "../engine/engine.ts";
import { bytesOf, decodeText, encodeText, expectKey, expectSize, hashKey, toNumber } from "../engine/values.ts";

const SAME_ID = "There is another session with this id. Make ids at random, so that nobody can guess them.";

/** How many bytes of facts a session may have: a part of the contract. */
const MAX_FACTS = 16 * 1024;

/** How many bytes the URIs that one session watches may have together. */
const MAX_WATCHED = 256 * 1024;

/** Sessions in a table. Each method is one statement, and thereby one transaction. */
export class PostgresSessions implements SessionStore {
  readonly #engine: Engine;
  readonly #statements: ReturnType<typeof writeStatements>;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    this.#statements = writeStatements(schema);
  }

  async create(
    { id, facts, client }: NewSession,
    ttl: number,
    room: SessionRoom,
  ): Promise<"created" | "full" | "fullOfClient"> {
    expectSize("What is known of a session", bytesOf(facts), MAX_FACTS);
    const row = await this.#engine.runForRow(this.#statements.create, [
      hashKey(id),
      encodeText(facts),
      client === undefined ? null : expectKey(client),
      toNumber(ttl),
      toNumber(room.max),
      toNumber(room.maxPerClient),
    ]);
    const outcome = row["outcome"];
    if (outcome === "other") throw new UsageError("INVALID_ARGUMENT", SAME_ID);
    return outcome === "full" || outcome === "fullOfClient" ? outcome : "created";
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#engine.run(this.#statements.get, [hashKey(id)]);
    if (row === undefined) return undefined;
    const { client, level, watched, facts, ready } = row;
    const holder = readHolder(row);
    return {
      id,
      facts: decodeText(facts ?? ""),
      ...(typeof client === "string" && { client: decodeText(client) }),
      isReady: ready === "true",
      ...(typeof level === "string" && { logLevel: decodeText(level) }),
      watched: (JSON.parse(watched ?? "[]") as string[]).map(decodeText),
      ...(holder !== undefined && { holder }),
    };
  }

  async touch(id: string, ttl: number): Promise<boolean> {
    return (await this.#engine.run(this.#statements.touch, [hashKey(id), toNumber(ttl)])).length > 0;
  }

  async update(id: string, { isReady, logLevel, watch, unwatch }: SessionChange): Promise<boolean> {
    if (watch !== undefined) expectSize("What a session watches", bytesOf(encodeText(watch)), MAX_WATCHED);
    const [row] = await this.#engine.run(this.#statements.update, [
      hashKey(id),
      String(isReady === true),
      logLevel === undefined ? null : expectKey(logLevel),
      watch === undefined ? null : encodeText(watch),
      unwatch === undefined ? null : encodeText(unwatch),
    ]);
    if (row?.["fits"] === "false") {
      throw new ClusterError("TOO_LARGE", `A session watches URIs of at most ${MAX_WATCHED} bytes together.`);
    }
    return row !== undefined;
  }

  async claim(
    id: string,
    { node, stream }: { readonly node: string; readonly stream: string },
  ): Promise<{ readonly fence: number; readonly previous?: StreamHolder | undefined } | undefined> {
    const values = [hashKey(id), expectKey(node), expectKey(stream)];
    const [row] = await this.#engine.run(this.#statements.claim, values);
    if (row === undefined) return undefined;
    const previous = readHolder(row);
    return { fence: Number(row["claimed"]), ...(previous !== undefined && { previous }) };
  }

  async release(id: string, fence: number): Promise<void> {
    await this.#engine.run(this.#statements.release, [hashKey(id), toNumber(fence)]);
  }

  async end(id: string): Promise<boolean> {
    return (await this.#engine.runForRow(this.#statements.end, [hashKey(id)]))["ended"] === "true";
  }
}

function readHolder({ node, stream, fence }: Row): StreamHolder | undefined {
  if (typeof node !== "string" || typeof stream !== "string") return undefined;
  return { node: decodeText(node), stream: decodeText(stream), fence: Number(fence) };
}

function writeStatements(schema: string) {
  const session = `${schema}.session`;
  const one = "id = decode($1::text, 'hex') and expires_at > now()";
  return {
    // Creating it again finds it whether or not there is room. One whose time has ended may still be in the table: it begins anew.
    create: prepare(`
with given as (
  select decode($1::text, 'hex') as id, $2::text as facts, $3::text as client,
    now() + $4::text::float8 * interval '1 ms' as expires_at
), known as (
  select from ${session} s, given g where s.id = g.id and s.expires_at > now()
), room as (
  select case
    when exists (select from known) then 'created'
    when (select count(*) from (select from ${session} where expires_at > now() limit $5::text::float8::bigint) s)
      >= $5::text::float8 then 'full'
    when (select count(*) from ${session} s, given g where s.client = g.client and s.expires_at > now())
      >= $6::text::float8 then 'fullOfClient'
    else 'created' end as outcome
), added as (
  insert into ${session} as s (id, facts, client, expires_at)
  select g.id, g.facts, g.client, g.expires_at from given g, room where outcome = 'created'
  on conflict (id) do update set expires_at = excluded.expires_at, facts = excluded.facts, client = excluded.client,
    is_ready = s.is_ready and s.expires_at > now(),
    log_level = case when s.expires_at > now() then s.log_level end,
    watched = case when s.expires_at > now() then s.watched else '{}' end,
    holder_node = case when s.expires_at > now() then s.holder_node end,
    holder_stream = case when s.expires_at > now() then s.holder_stream end
    where s.facts = excluded.facts or s.expires_at <= now()
  returning 1
)
select case when outcome = 'created' and not exists (select from added) then 'other' else outcome end as outcome from room`),
    get: prepare(`
select facts, client, is_ready::text as ready, log_level as level, array_to_json(watched)::text as watched,
  holder_node as node, holder_stream as stream, fence::text as fence
from ${session} where ${one}`),
    touch: prepare(`
update ${session} set expires_at = now() + $2::text::float8 * interval '1 ms' where ${one} returning 'true' as found`),
    // Locked before it is looked at, so that the size is that of the URIs which the change is added to.
    update: prepare(`
with found as (
  select id, $4::text is null or $4::text = any (watched)
    or octet_length(array_to_string(watched, '')) + octet_length($4::text) <= ${MAX_WATCHED} as fits
  from ${session} where ${one} for update
), changed as (
  update ${session} s set
    is_ready = s.is_ready or $2::text::boolean,
    log_level = coalesce($3::text, s.log_level),
    watched = array_remove(
      case when $4::text is null or $4::text = any (s.watched) then s.watched else s.watched || $4::text end, $5::text)
  from found f where s.id = f.id and f.fits
)
select fits::text as fits from found`),
    // The row is locked before it is read: its holder is the one that this claim replaces, whatever happens at the same moment.
    claim: prepare(`
with found as (
  select id, holder_node, holder_stream, fence from ${session} where ${one} for update
)
update ${session} s set fence = s.fence + 1, holder_node = $2::text, holder_stream = $3::text
from found f where s.id = f.id
returning s.fence::text as claimed, f.holder_node as node, f.holder_stream as stream, f.fence::text as fence`),
    release: prepare(`
update ${session} set holder_node = null, holder_stream = null
where ${one} and fence = $2::text::bigint and holder_node is not null`),
    end: prepare(`
with ended as (
  delete from ${session} where id = decode($1::text, 'hex') returning expires_at > now() as was_there
), forgotten as (
  delete from ${schema}.stream where session = decode($1::text, 'hex')
)
select coalesce((select was_there from ended), false)::text as ended`),
  };
}
