import { type ChangeBatch, createNodeName } from "@toolwire/server/cluster";
import { type Engine, prepare } from "../engine/engine.ts";
import { decodeText, encodeText, expectSize, toNumber } from "../engine/values.ts";

/** How many changes the log keeps, more or less, and how many characters of them. */
const MAX_CHANGES = 10_000;
const MAX_LENGTH = 16 * 1024 * 1024;

/** How often the log is cut: whenever so many changes were added. */
const CUT_EVERY = 1000;

/** How many characters may be announced at once: a part of the contract. */
const MAX_ANNOUNCED = 64 * 1024;

/** The most changes, and more or less the most characters of them, that one statement reads. */
const MAX_READ = 1000;
const MAX_READ_LENGTH = 1024 * 1024;

/** Where the log stands. Positions are counted from the first change, and belong to one log: another has another epoch. */
export interface LogPosition {
  readonly epoch: string;
  readonly position: number;
}

/**
 * The log of changes in a table.
 *
 * Positions come from a row that each announcement updates, in the same statement that adds its changes. The row stays locked until
 * that statement is committed, so positions become visible in their order and without gaps: whoever has read up to one has read all
 * before. A sequence would not do: it hands out numbers before the commit, and commits overtake each other.
 */
export class ChangeLog {
  readonly #engine: Engine;
  readonly #statements: ReturnType<typeof writeStatements>;
  readonly #channel: string;

  /** Wakes up all who listen to the channel. */
  constructor(engine: Engine, schema: string, channel: string) {
    this.#engine = engine;
    this.#channel = channel;
    this.#statements = writeStatements(schema);
  }

  async append(changes: readonly string[]): Promise<void> {
    const length = changes.reduce((sum, change) => sum + change.length, 0);
    expectSize("What is announced at once", length, MAX_ANNOUNCED);
    if (changes.length === 0) return;
    const { last } = await this.#engine.runForRow(this.#statements.append, [
      JSON.stringify(changes.map(encodeText)),
      String(changes.length),
      String(length),
      createNodeName(),
      this.#channel,
    ]);
    const end = Number(last);
    if (Math.floor(end / CUT_EVERY) > Math.floor((end - changes.length) / CUT_EVERY)) {
      // It is in the log already. Whoever adds next will cut what is left now.
      await this.#engine.run(this.#statements.cut, []).catch(() => {});
    }
  }

  /** At most `limit` changes after a position. A gap names where the log stands, if there is one. */
  async after(
    { epoch, position }: LogPosition,
    limit: number,
  ): Promise<
    | { readonly batch: ChangeBatch; readonly next: LogPosition; readonly isEnd: boolean }
    | { readonly gap: LogPosition | undefined }
  > {
    const row = await this.#engine.runForRow(this.#statements.after, [
      toNumber(position),
      toNumber(Math.min(limit, MAX_READ)),
    ]);
    const now = readPosition(row["epoch"], row["last"]);
    const first = Number(row["first"] ?? Number(row["last"]) + 1);
    if (now?.epoch !== epoch || position > now.position || position + 1 < first) return { gap: now };
    const changes = (JSON.parse(row["changes"] ?? "[]") as string[]).map(decodeText);
    const next = { epoch, position: position + changes.length };
    return { batch: { changes, place: writePlace(next) }, next, isEnd: next.position >= now.position };
  }
}

/** Reads columns that say where a log stands. */
export function readPosition(
  epoch: string | null | undefined,
  last: string | null | undefined,
): LogPosition | undefined {
  return typeof epoch === "string" && typeof last === "string" ? { epoch, position: Number(last) } : undefined;
}

export function writePlace({ epoch, position }: LogPosition): string {
  return `${epoch}.${position}`;
}

/** Reads a place that a client may have sent. */
export function readPlace(place: string): LogPosition | undefined {
  const [, epoch, digits] = /^([a-z0-9]{10})\.(\d{1,15})$/.exec(place) ?? [];
  return epoch === undefined ? undefined : { epoch, position: Number(digits) };
}

function writeStatements(schema: string) {
  return {
    append: prepare(`
with log as (
  insert into ${schema}.log as l (epoch, last, size) values ($4::text, $2::text::bigint, $3::text::bigint)
  on conflict (singleton) do update set last = l.last + excluded.last, size = l.size + excluded.size
  returning last, size
), added as (
  insert into ${schema}.change (position, size_until, change)
  select last - $2::text::bigint + number, size, change
  from log, json_array_elements_text($1::text::json) with ordinality as given (change, number)
)
select last::text as last, pg_notify($5::text, 'c' || last)::text as sent from log`),
    cut: prepare(`
delete from ${schema}.change c using ${schema}.log l
where c.position <= l.last - ${MAX_CHANGES} or (c.size_until < l.size - ${MAX_LENGTH} and c.position < l.last)`),
    after: prepare(`
select epoch, last::text as last, (select min(position) from ${schema}.change)::text as first, (
  select json_agg(change order by position) from (
    select position, change, sum(length(change)) over (order by position) - length(change) as before from (
      select position, change from ${schema}.change where position > $1::text::float8::bigint
      order by position limit $2::text::float8::bigint
    ) read
  ) read where before < ${MAX_READ_LENGTH}
)::text as changes
from ${schema}.log`),
  };
}
