import type { Database } from "../log/database/database.ts";
import { needSealer, type Sealer, type SecretIdentity } from "../secrets/sealing.ts";
import { digestOf } from "../secrets/secret.ts";
import { groupOfPending, MOST_PENDING } from "./grant-keys.ts";
import type { PendingLoginStore } from "./storage.ts";

interface PendingRow {
  readonly key_id: string;
  readonly wrapped: string;
  readonly sealed: string;
}

/** Pending logins in the database: one gateway may begin a login, and another one end it. */
export function databasePendingLogins(
  database: Database,
  sealer: Sealer | undefined,
  now: () => number,
): PendingLoginStore {
  const find = async (id: string, statement: string): Promise<string | undefined> => {
    const digest = digestOf(id);
    const [row] = await database.query<PendingRow>(statement, [digest, now()]);
    if (row === undefined) return undefined;
    const { key_id: keyId, wrapped, sealed } = row;
    return needSealer(sealer).open({ keyId, wrapped, sealed }, identityOf(digest));
  };
  return {
    async put(id, owner, value, expiresAt) {
      const digest = digestOf(id);
      const group = groupOfPending(id, owner);
      const { keyId, wrapped, sealed } = needSealer(sealer).seal(value, identityOf(digest));
      await database.query(
        `insert into toolwire.pending_logins (id, owner, key_id, wrapped, sealed, created_at, expires_at)
         values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000))`,
        [digest, group, keyId, wrapped, sealed, now(), expiresAt],
      );
      await database.query(
        `delete from toolwire.pending_logins where expires_at <= to_timestamp($1::float8 / 1000) or id in (
           select id from toolwire.pending_logins where owner = $2 order by created_at desc offset $3::int)`,
        [now(), group, MOST_PENDING],
      );
    },
    read: (id) =>
      find(
        id,
        `select key_id, wrapped, sealed from toolwire.pending_logins
         where id = $1 and expires_at > to_timestamp($2::float8 / 1000)`,
      ),
    take: (id) =>
      find(
        id,
        `delete from toolwire.pending_logins where id = $1 and expires_at > to_timestamp($2::float8 / 1000)
         returning key_id, wrapped, sealed`,
      ),
  };
}

function identityOf(digest: string): SecretIdentity {
  return { name: `pending login ${digest}`, principal: undefined, version: 1 };
}
