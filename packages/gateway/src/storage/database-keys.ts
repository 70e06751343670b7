import { arrayOf, type Database } from "../log/database/database.ts";
import { createKey, KeyTable, type KeyRequest } from "./api-keys.ts";
import { changing } from "./change-feed.ts";
import type { ApiKey, KeyStore } from "./storage.ts";

interface KeyRow {
  readonly id: string;
  readonly digest: string;
  readonly name: string;
  readonly prefix: string;
  readonly servers: readonly string[] | null;
  readonly principal: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
}

/** API keys in the database, with their digests in memory. */
export class DatabaseKeys implements KeyStore {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #check: () => Promise<void>;
  readonly #table: KeyTable;

  constructor(database: Database, now: () => number, check: () => Promise<void>) {
    this.#database = database;
    this.#now = now;
    this.#check = check;
    this.#table = new KeyTable(now);
  }

  async load(): Promise<void> {
    const rows = await this.#database.query<KeyRow>(
      `select id, digest, name, prefix, servers, principal, (extract(epoch from created_at) * 1000)::float8 as created_at,
         (extract(epoch from expires_at) * 1000)::float8 as expires_at,
         (extract(epoch from last_used_at) * 1000)::float8 as last_used_at
       from toolwire.api_keys`,
    );
    this.#table.replaceAll(rows.map((row) => [row.digest, keyOf(row)]));
  }

  async create(request: KeyRequest): Promise<{ readonly key: ApiKey; readonly secret: string }> {
    const { key, digest, secret } = createKey(request, this.#now());
    await this.#database.query(
      changing(
        "keys",
        `insert into toolwire.api_keys (id, digest, name, prefix, servers, created_at, expires_at, principal)
         values ($1, $2, $3, $4, $5::text::json, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8)
         returning id`,
      ),
      [
        key.id,
        digest,
        key.name,
        key.prefix,
        key.servers === undefined ? null : JSON.stringify(key.servers),
        key.createdAt,
        key.expiresAt ?? null,
        key.principal ?? null,
      ],
    );
    await this.#check();
    return { key, secret };
  }

  find(secret: string): ApiKey | undefined {
    return this.#table.find(secret);
  }

  list(): readonly ApiKey[] {
    return this.#table.list();
  }

  async revoke(id: string): Promise<boolean> {
    const statement = changing("keys", "delete from toolwire.api_keys where id = $1 returning id");
    const rows = await this.#database.query(statement, [id]);
    // Here at once, even if the table cannot be read again.
    this.#table.remove(id);
    await this.#check();
    return rows.length > 0;
  }

  /** Writes when keys were last used. Called now and then: a call never waits for it. */
  async writeLastUses(): Promise<void> {
    const uses = this.#table.takeLastUses();
    if (uses.size === 0) return;
    await this.#database.query(
      `update toolwire.api_keys set last_used_at = greatest(last_used_at, to_timestamp(used.at / 1000))
       from unnest($1::text::text[], $2::text::float8[]) as used (id, at) where api_keys.id = used.id`,
      [arrayOf([...uses.keys()]), arrayOf([...uses.values()])],
    );
    await this.load();
  }
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    ...(row.servers !== null && { servers: row.servers }),
    ...(row.principal !== null && { principal: row.principal }),
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  };
}
