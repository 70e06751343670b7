import { UsageError } from "@toolwire/protocol";
import type { Database } from "../log/database/database.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { needSealer, type Sealer, type SealedSecret, type SecretIdentity } from "../secrets/sealing.ts";
import type { Secret } from "../secrets/secret.ts";
import { changing } from "./change-feed.ts";
import { checkSecret, SecretTable, type SecretEntry } from "./secret-table.ts";
import type { SecretStore } from "./storage.ts";

interface SecretRow {
  readonly name: string;
  readonly principal: string;
  readonly version: number;
  readonly key_id: string;
  readonly wrapped: string;
  readonly sealed: string;
  readonly updated_at: number;
}

const COLUMNS =
  "name, principal, version, key_id, wrapped, sealed, (extract(epoch from updated_at) * 1000)::float8 as updated_at";
const MOST_ATTEMPTS = 5;

/** Sealed secrets in the database, and their values in memory. */
export class DatabaseSecrets implements SecretStore {
  readonly #database: Database;
  readonly #sealer: Sealer | undefined;
  readonly #now: () => number;
  readonly #check: () => Promise<void>;
  readonly #onWarning: (message: string) => void;
  readonly #rotateOthers: () => Promise<number>;
  readonly #table: SecretTable;
  /** All that are in the database, also those that could not be opened. */
  #rows: readonly SecretRow[] = [];

  constructor(
    database: Database,
    sealer: Sealer | undefined,
    redactor: Redactor,
    now: () => number,
    check: () => Promise<void>,
    onWarning: (message: string) => void,
    rotateOthers: () => Promise<number>,
  ) {
    this.#database = database;
    this.#sealer = sealer;
    this.#now = now;
    this.#check = check;
    this.#onWarning = onWarning;
    this.#rotateOthers = rotateOthers;
    this.#table = new SecretTable(redactor);
  }

  async load(): Promise<void> {
    this.#rows = await this.#database.query<SecretRow>(
      `select ${COLUMNS} from toolwire.secrets order by name, principal`,
    );
    const opened = this.#rows.filter((row) => this.#open(row));
    this.#table.keepOnly(opened.map(entryOf));
  }

  async set(name: string, value: string, principal?: string): Promise<void> {
    checkSecret(name, value, principal);
    const sealer = needSealer(this.#sealer);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const current = this.#rows.find((row) => row.name === name && row.principal === (principal ?? ""))?.version ?? 0;
      const sealed = sealer.seal(value, { name, principal, version: current + 1 });
      // The version is part of what is sealed, so only one of two gateways that set the secret at once can have it.
      const rows = await this.#database.query(
        changing(
          "secrets",
          `insert into toolwire.secrets as secret (name, principal, version, key_id, wrapped, sealed, updated_at)
           values ($1, $2, $3::int + 1, $4, $5, $6, to_timestamp($7::float8 / 1000))
           on conflict (name, principal) do update set version = excluded.version, key_id = excluded.key_id,
             wrapped = excluded.wrapped, sealed = excluded.sealed, updated_at = excluded.updated_at
           where secret.version = $3::int returning name`,
        ),
        [name, principal ?? "", current, sealed.keyId, sealed.wrapped, sealed.sealed, this.#now()],
      );
      await this.#check();
      if (rows.length > 0) return;
      await this.load();
    }
    throw new UsageError("INVALID_STATE", `The secret ${name} is being set by others at the same time. Try again.`);
  }

  get(name: string, principal?: string): Secret | undefined {
    return this.#table.get(name, principal);
  }

  list(): readonly SecretEntry[] {
    return this.#rows.map(entryOf);
  }

  async remove(name: string, principal?: string): Promise<boolean> {
    const statement = "delete from toolwire.secrets where name = $1 and principal = $2 returning name";
    const rows = await this.#database.query(changing("secrets", statement), [name, principal ?? ""]);
    this.#table.remove(name, principal);
    await this.#check();
    return rows.length > 0;
  }

  async rotate(): Promise<number> {
    const sealer = needSealer(this.#sealer);
    await this.load();
    let count = await this.#rotateOthers();
    const before = count;
    for (const row of this.#rows) {
      if (!sealer.isOutdated(sealedOf(row))) continue;
      const { keyId, wrapped } = sealer.rewrap(sealedOf(row), identityOf(row));
      // Not if the secret was set in the meantime: the new value is sealed with the first key of whoever has set it.
      const rows = await this.#database.query(
        `update toolwire.secrets set key_id = $1, wrapped = $2
         where name = $3 and principal = $4 and version = $5::int and wrapped = $6 returning name`,
        [keyId, wrapped, row.name, row.principal, row.version, row.wrapped],
      );
      count += rows.length;
    }
    if (count > before) await this.load();
    return count;
  }

  #open(row: SecretRow): boolean {
    try {
      const value = needSealer(this.#sealer).open(sealedOf(row), identityOf(row));
      // The same value again would make the redactor prepare its search again.
      if (this.#table.get(row.name, principalOf(row))?.reveal() !== value) this.#table.set(entryOf(row), value);
      return true;
    } catch (error) {
      this.#onWarning(error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}

function principalOf({ principal }: SecretRow): string | undefined {
  return principal === "" ? undefined : principal;
}

function entryOf(row: SecretRow): SecretEntry {
  const principal = principalOf(row);
  return { name: row.name, ...(principal !== undefined && { principal }), updatedAt: row.updated_at };
}

function identityOf(row: SecretRow): SecretIdentity {
  return { name: row.name, principal: principalOf(row), version: row.version };
}

function sealedOf({ key_id: keyId, wrapped, sealed }: SecretRow): SealedSecret {
  return { keyId, wrapped, sealed };
}
