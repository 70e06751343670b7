import {
  expectSize,
  type KeyStore,
  type OnceStore,
  type RateLimitStore,
  type StoredKey,
} from "@toolwire/server/cluster";
import { type Engine, prepare } from "../engine/engine.ts";
import { StatementError } from "../engine/failures.ts";
import { decodeText, hashKey, keepKey, toNumber } from "../engine/values.ts";

/** Buckets in a table. A bucket is one number: the time at which it will be full again, in milliseconds. */
export class PostgresLimits implements RateLimitStore {
  readonly #engine: Engine;
  readonly #take;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    // What is left to wait is written beside, because RETURNING cannot tell whether a token was taken. A hundredth of a token
    // makes up for sums of fractions, such as three thirds of a window.
    const [now, token, window] = ["(extract(epoch from now()) * 1000)::float8", "$2::text::float8", "$3::text::float8"];
    const full = `greatest(b.full_at, ${now}) + ${token}`;
    const wait = `${full} - ${now} - ${window}`;
    this.#take = prepare(`
insert into ${schema}.bucket as b (key, full_at, wait)
values (decode($1::text, 'hex'), ${now} + ${token}, 0)
on conflict (key) do update set
  full_at = case when ${wait} > ${token} / 100 then b.full_at else ${full} end,
  wait = case when ${wait} > ${token} / 100 then ${wait} else 0 end
returning wait::text as wait`);
  }

  async take(key: string, { limit, window }: { readonly limit: number; readonly window: number }): Promise<number> {
    const row = await this.#engine.runForRow(this.#take, [hashKey(key), String(window / limit), toNumber(window)]);
    return Math.ceil(Number(row["wait"]));
  }
}

/** Keys in a table that pass once. */
export class PostgresOnce implements OnceStore {
  readonly #engine: Engine;
  readonly #claim;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    this.#claim = prepare(`
insert into ${schema}.once as o (key, expires_at)
values (decode($1::text, 'hex'), now() + $2::text::float8 * interval '1 ms')
on conflict (key) do update set expires_at = excluded.expires_at where o.expires_at <= now()
returning 'true' as claimed`);
  }

  async claim(key: string, ttl: number): Promise<boolean> {
    return (await this.#engine.run(this.#claim, [hashKey(key), toNumber(ttl)])).length > 0;
  }
}

/** How many keys a ring may have: many more than rotations need. */
const MAX_RING = 64;

/** Another node has added a key after the same one. */
const UNIQUE_VIOLATION = "23505";

/** The ring of keys in a table that survives crashes. */
export class PostgresKeys implements KeyStore {
  readonly #engine: Engine;
  readonly #list;
  readonly #add;
  readonly #remove;

  constructor(engine: Engine, schema: string) {
    this.#engine = engine;
    const ring = `${schema}.ring`;
    this.#list = prepare(`
select id, secret, (extract(epoch from now() - added_at) * 1000)::float8::text as age from ${ring} order by number desc`);
    // Of two nodes that add at the same moment, each may find the same newest key. `after` is unique, so that one of them fails.
    this.#add = prepare(`
with newest as (
  select id from ${ring} order by number desc limit 1
), added as (
  insert into ${ring} as r (id, secret, after)
  select $1::text, $2::text, $3::text
  where exists (select from ${ring} where id = $1::text)
    or (coalesce((select id from newest), '') = $3::text and (select count(*) from ${ring}) < ${MAX_RING})
  on conflict (id) do update set secret = r.secret where r.secret = excluded.secret
  returning 1
)
select exists (select from added)::text as added, (coalesce((select id from newest), '') = $3::text)::text as follows,
  (select count(*) from ${ring})::text as keys`);
    this.#remove = prepare(`delete from ${ring} where id = $1::text`);
  }

  async list(): Promise<readonly (StoredKey & { readonly age: number })[]> {
    const rows = await this.#engine.run(this.#list, []);
    return rows.map(({ id, secret, age }) => ({
      id: decodeText(id ?? ""),
      secret: decodeText(secret ?? ""),
      age: Math.max(Number(age), 0),
    }));
  }

  async add({ id, secret }: StoredKey, after: string | undefined): Promise<boolean> {
    const values = [keepKey(id), keepKey(secret), after === undefined ? "" : keepKey(after)];
    // Somebody has added a key at the same moment. The next try sees which: this one, or another.
    return (await this.#tryToAdd(values)) ?? (await this.#tryToAdd(values)) ?? false;
  }

  /** Resolves to `undefined` if another node has added a key after the same one meanwhile. */
  async #tryToAdd(values: readonly string[]): Promise<boolean | undefined> {
    try {
      const { added, follows, keys } = await this.#engine.runForRow(this.#add, values);
      if (added !== "true" && follows === "true") expectSize("The ring of keys", Number(keys) + 1, MAX_RING);
      return added === "true";
    } catch (error) {
      if (error instanceof StatementError && error.state === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await this.#engine.run(this.#remove, [keepKey(id)]);
  }
}
