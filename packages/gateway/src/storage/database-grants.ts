import { randomInt } from "node:crypto";
import type { AuthStore, StoredValue } from "@toolwire/client/auth";
import type { Database } from "../log/database/database.ts";
import { needSealer, type Sealer, type SealedSecret, type SecretIdentity } from "../secrets/sealing.ts";
import { changing } from "./change-feed.ts";
import { withLock } from "./database-lock.ts";
import { isAnnounced, kindOfKey, ownerOfKey, textOf } from "./grant-keys.ts";
import type { GrantEntry, GrantOwner, GrantStore } from "./storage.ts";

interface GrantRow {
  readonly server: string;
  readonly upstream: string;
  readonly principal: string;
  readonly key: string;
  readonly version: string;
  readonly key_id: string;
  readonly wrapped: string;
  readonly sealed: string;
}

const COLUMNS = "server, upstream, principal, key, version::text as version, key_id, wrapped, sealed";
const ONE = "server = $1 and upstream = $2 and principal = $3 and key = $4";

/** The largest version: it is a part of what is sealed, as a number. */
const VERSIONS = 2 ** 47;

/** Sealed grants in the database. They are read each time, because another gateway may have renewed them. */
export class DatabaseGrants implements GrantStore {
  readonly #database: Database;
  readonly #sealer: Sealer | undefined;
  readonly #now: () => number;
  readonly #check: () => Promise<void>;

  constructor(database: Database, sealer: Sealer | undefined, now: () => number, check: () => Promise<void>) {
    this.#database = database;
    this.#sealer = sealer;
    this.#now = now;
    this.#check = check;
  }

  open(given: GrantOwner): AuthStore {
    return {
      get: (key) => this.#get(ownerOfKey(given, key), key),
      swap: (key, expected, next) => this.#swap(ownerOfKey(given, key), key, expected, next),
      lock: (key, work, { signal }) => withLock(this.#database, `${textOf(given)} ${key}`, work, signal),
    };
  }

  async list(of?: Pick<GrantOwner, "server" | "upstream"> | GrantOwner): Promise<readonly GrantEntry[]> {
    const owner = of !== undefined && "principal" in of ? (of.principal ?? "") : null;
    const rows = await this.#database.query<GrantRow & { readonly since: number }>(
      `select server, upstream, principal, string_agg(version::text, ' ' order by key) as version,
         (extract(epoch from min(created_at) filter (where kind = 'grant')) * 1000)::float8 as since from toolwire.grants
       where kind <> 'registration' and ($1::text is null or (server = $1 and upstream = $2))
         and ($3::text is null or principal = $3)
       group by server, upstream, principal having bool_or(kind = 'grant') order by since, principal`,
      [of?.server ?? null, of?.upstream ?? null, owner],
    );
    return rows.map(({ server, upstream, principal, version, since }) => ({
      server,
      upstream,
      principal: principal === "" ? undefined : principal,
      since,
      version,
    }));
  }

  async remove({ server, upstream, principal }: GrantOwner): Promise<boolean> {
    const statement = `delete from toolwire.grants
      where server = $1 and upstream = $2 and principal = $3 and kind <> 'registration' returning kind`;
    const rows = await this.#database.query<{ kind: string }>(changing("grants", statement), [
      server,
      upstream,
      principal ?? "",
    ]);
    await this.#check();
    return rows.some(({ kind }) => kind === "grant");
  }

  /** Seals all data keys with the first sealing key. */
  async rotate(): Promise<number> {
    const sealer = needSealer(this.#sealer);
    let count = 0;
    for (const row of await this.#database.query<GrantRow>(`select ${COLUMNS} from toolwire.grants`)) {
      if (!sealer.isOutdated(sealedOf(row))) continue;
      const { keyId, wrapped } = sealer.rewrap(sealedOf(row), identityOf(row));
      // Not if it was renewed in the meantime: whoever did that has sealed it with a first key.
      const rows = await this.#database.query(
        `update toolwire.grants set key_id = $5, wrapped = $6 where ${ONE} and version = $7::text::bigint returning key`,
        [row.server, row.upstream, row.principal, row.key, keyId, wrapped, row.version],
      );
      count += rows.length;
    }
    return count;
  }

  async #get(owner: GrantOwner, key: string): Promise<StoredValue | undefined> {
    const [row] = await this.#database.query<GrantRow>(
      `select ${COLUMNS} from toolwire.grants where ${ONE}`,
      placeOf(owner, key),
    );
    if (row === undefined) return undefined;
    const text = needSealer(this.#sealer).open(sealedOf(row), identityOf(row));
    return { value: JSON.parse(text) as unknown, version: row.version };
  }

  async #swap(owner: GrantOwner, key: string, expected: string | undefined, next: unknown): Promise<boolean> {
    const place = placeOf(owner, key);
    const kind = kindOfKey(key);
    const announced = (statement: string): string =>
      isAnnounced(kind, expected, next) ? changing("grants", statement) : statement;
    if (next === undefined) {
      if (expected === undefined) return (await this.#get(owner, key)) === undefined;
      const statement = `delete from toolwire.grants where ${ONE} and version = $5::text::bigint returning key`;
      const rows = await this.#database.query(announced(statement), [...place, expected]);
      await this.#check();
      return rows.length > 0;
    }
    const version = randomInt(1, VERSIONS);
    const identity = identityOf({ ...rowPlace(owner, key), version: String(version) });
    const { keyId, wrapped, sealed } = needSealer(this.#sealer).seal(JSON.stringify(next), identity);
    if (expected !== undefined) {
      const statement = `update toolwire.grants set version = $5::text::bigint, key_id = $6, wrapped = $7, sealed = $8
         where ${ONE} and version = $9::text::bigint returning key`;
      const rows = await this.#database.query(announced(statement), [
        ...place,
        String(version),
        keyId,
        wrapped,
        sealed,
        expected,
      ]);
      if (isAnnounced(kind, expected, next)) await this.#check();
      return rows.length > 0;
    }
    const rows = await this.#database.query(
      announced(
        `insert into toolwire.grants (server, upstream, principal, key, kind, version, key_id, wrapped, sealed, created_at)
         values ($1, $2, $3, $4, $5, $6::text::bigint, $7, $8, $9, to_timestamp($10::float8 / 1000))
         on conflict do nothing returning key`,
      ),
      [...place, kind, String(version), keyId, wrapped, sealed, this.#now()],
    );
    await this.#check();
    return rows.length > 0;
  }
}

function placeOf({ server, upstream, principal }: GrantOwner, key: string): string[] {
  return [server, upstream, principal ?? "", key];
}

function rowPlace(owner: GrantOwner, key: string): Pick<GrantRow, "server" | "upstream" | "principal" | "key"> {
  const { server, upstream, principal } = owner;
  return { server, upstream, principal: principal ?? "", key };
}

/** A value opens only in the row that it was sealed for. */
function identityOf(row: Pick<GrantRow, "server" | "upstream" | "principal" | "key" | "version">): SecretIdentity {
  const { server, upstream, principal, key, version } = row;
  const name = `grant ${JSON.stringify([server, upstream, key])}`;
  return { name, principal: principal === "" ? undefined : principal, version: Number(version) };
}

function sealedOf({ key_id: keyId, wrapped, sealed }: GrantRow): SealedSecret {
  return { keyId, wrapped, sealed };
}
