import type { Database } from "../log/database/database.ts";
import type { SealedSecret, Sealer, SecretIdentity } from "../secrets/sealing.ts";
import { digestOf } from "../secrets/secret.ts";
import type { PageLogin, PageLoginStore } from "./storage.ts";

/** So many logins at once. Those that were unused for longest make room for others. */
const MOST_SESSIONS = 64;

/** So many codes of links at once, and so many notes of what must not happen twice. */
const MOST_OTHERS = 1000;

/** The identity of what is sealed for the cookie of a browser. */
const COOKIE: SecretIdentity = { name: "login to the page", principal: undefined, version: 1 };

/** Logins to the page in the database: of several gateways, any may open a session, and any other may find it. Only digests are kept. */
export function databasePageLogins(database: Database, sealer: Sealer | undefined, now: () => number): PageLoginStore {
  /** Keeps something under a secret id, unless it is there already. Returns whether it was new. */
  const keep = async (kind: string, id: string, { name, expiresAt }: PageLogin, until: number): Promise<boolean> => {
    const [row] = await database.query(
      `insert into toolwire.page_logins (kind, id, name, expires_at, until)
       values ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))
       on conflict (kind, id) do nothing returning kind`,
      [kind, digestOf(id), name, expiresAt, until],
    );
    await database.query(
      `delete from toolwire.page_logins where least(until, expires_at) <= to_timestamp($1::float8 / 1000)
         or (kind, id) in (select kind, id from toolwire.page_logins where kind = $2 order by until desc offset $3::int)`,
      [now(), kind, kind === "session" ? MOST_SESSIONS : MOST_OTHERS],
    );
    return row !== undefined;
  };
  return {
    openSession: async (id, login, until) => void (await keep("session", id, login, until)),
    async useSession(id, until) {
      const [row] = await database.query<PageLogin>(
        `update toolwire.page_logins set until = greatest(until, to_timestamp($3::float8 / 1000))
         where kind = 'session' and id = $1 and least(until, expires_at) > to_timestamp($2::float8 / 1000)
         returning name, (extract(epoch from expires_at) * 1000)::float8 as "expiresAt"`,
        [digestOf(id), now(), until],
      );
      return row;
    },
    async closeSession(id) {
      await database.query("delete from toolwire.page_logins where kind = 'session' and id = $1", [digestOf(id)]);
    },
    addCode: async (code, until) => void (await keep("code", code, { name: "", expiresAt: until }, until)),
    async takeCode(code) {
      const rows = await database.query(
        `delete from toolwire.page_logins where kind = 'code' and id = $1 and until > to_timestamp($2::float8 / 1000)
         returning kind`,
        [digestOf(code), now()],
      );
      return rows.length > 0;
    },
    claim: (id, until) => keep("claim", id, { name: "", expiresAt: until }, until),
    cookies: sealer && {
      seal: (text) => Buffer.from(JSON.stringify(sealer.seal(text, COOKIE))).toString("base64url"),
      open(text) {
        try {
          return sealer.open(JSON.parse(Buffer.from(text, "base64url").toString()) as SealedSecret, COOKIE);
        } catch {
          return undefined;
        }
      },
    },
  };
}
