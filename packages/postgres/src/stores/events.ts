import type { EventLog, LoggedEvent, LoggedEvents } from "@toolwire/server/cluster";
import { type Engine, prepare } from "../engine/engine.ts";
import { decodeText, encodeText, expectKey, hashKey, toNumber } from "../engine/values.ts";

/** The most events that one statement reads. */
const MAX_READ = 100_000;

/**
 * The log of events in two tables. A stream whose time has ended goes on if it is still in its table when more is appended: its key
 * never stands for another stream.
 */
export class PostgresEvents implements EventLog {
  readonly #engine: Engine;
  readonly #statements: ReturnType<typeof writeStatements>;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    this.#statements = writeStatements(schema);
  }

  async append(
    session: string,
    stream: string,
    events: readonly LoggedEvent[],
    options: { readonly ttl: number; readonly maxBytes: number; readonly isLast?: boolean | undefined },
  ): Promise<void> {
    const last = events.at(-1)?.sequence ?? 0;
    await this.#engine.run(this.#statements.append, [
      hashKey(session),
      expectKey(stream),
      JSON.stringify(events.map(({ sequence, data }) => ({ sequence, data: encodeText(data) }))),
      toNumber(last),
      toNumber(options.ttl),
      toNumber(options.maxBytes),
      String(options.isLast === true),
    ]);
  }

  async read(session: string, stream: string, after: number, limit: number): Promise<LoggedEvents | undefined> {
    const [row] = await this.#engine.run(this.#statements.read, [
      hashKey(session),
      expectKey(stream),
      toNumber(after),
      toNumber(Math.min(limit, MAX_READ)),
    ]);
    if (row === undefined) return undefined;
    const kept = JSON.parse(row["events"] ?? "[]") as [number, string][];
    const events = kept.map(([sequence, data]) => ({ sequence, data: decodeText(data) }));
    const [first] = events;
    const isAtEnd = (events.at(-1)?.sequence ?? after) >= Number(row["last"]);
    return {
      events,
      isComplete: row["complete"] === "true" && isAtEnd,
      hasGap: first !== undefined && first.sequence > after + 1,
      reader: Number(row["reader"]),
    };
  }

  async takeOver(session: string, stream: string, ttl: number): Promise<number> {
    const values = [hashKey(session), expectKey(stream), toNumber(ttl)];
    return Number((await this.#engine.runForRow(this.#statements.takeOver, values))["reader"]);
  }

  async forget(session: string, stream: string): Promise<void> {
    await this.#engine.run(this.#statements.forget, [hashKey(session), expectKey(stream)]);
  }
}

function writeStatements(schema: string) {
  const [stream, event] = [`${schema}.stream`, `${schema}.event`];
  const key = "session = decode($1::text, 'hex') and key = $2::text";
  return {
    // Whoever appends locks the row of the stream first. `last_before` hands the row's value of before to the rest of the
    // statement: RETURNING knows only new values, and the statement's own view of the table may be older.
    append: prepare(`
with given as (
  select sequence, data, octet_length(data) as bytes
  from json_to_recordset($3::text::json) as given (sequence bigint, data text)
), kept as (
  insert into ${stream} as s (session, key, last, is_complete, expires_at)
  values (decode($1::text, 'hex'), $2::text, $4::text::bigint, $7::text::boolean,
    now() + $5::text::float8 * interval '1 ms')
  on conflict (session, key) do update set last_before = s.last, last = greatest(s.last, excluded.last),
    is_complete = s.is_complete or excluded.is_complete, expires_at = excluded.expires_at
  returning number, last_before
), fresh as (
  select g.* from given g, kept k where g.sequence > k.last_before
), ranked as (
  select sequence, sum(bytes) over newest as bytes, row_number() over newest as rank
  from (
    select e.sequence, octet_length(e.data) as bytes from ${event} e, kept k where e.stream = k.number
    union all select sequence, bytes from fresh
  ) every
  window newest as (order by sequence desc)
), left_over as (
  select sequence from ranked where bytes > $6::text::float8 and rank > 1
), dropped as (
  delete from ${event} e using kept k, left_over l where e.stream = k.number and e.sequence = l.sequence
)
insert into ${event} (stream, sequence, data)
select k.number, f.sequence, f.data from fresh f, kept k
where f.sequence not in (select sequence from left_over)
on conflict do nothing`),
    read: prepare(`
select s.last::text as last, s.is_complete::text as complete, s.reader::text as reader, (
  select json_agg(json_build_array(e.sequence, e.data) order by e.sequence) from (
    select sequence, data from ${event} where stream = s.number and sequence > $3::text::float8
    order by sequence limit $4::text::float8::bigint
  ) e
)::text as events
from ${stream} s where ${key} and s.expires_at > now()`),
    takeOver: prepare(`
insert into ${stream} as s (session, key, reader, expires_at)
values (decode($1::text, 'hex'), $2::text, 1, now() + $3::text::float8 * interval '1 ms')
on conflict (session, key) do update set reader = s.reader + 1, expires_at = excluded.expires_at
returning reader::text as reader`),
    forget: prepare(`delete from ${stream} where ${key}`),
  };
}
