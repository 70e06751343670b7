import type { CallLog } from "../log/call-log.ts";
import { limitOf } from "../log/call-pages.ts";
import type { Database } from "../log/database/database.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Sealer } from "../secrets/sealing.ts";
import { ChangeFeed } from "./change-feed.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { DatabaseGrants } from "./database-grants.ts";
import { DatabaseKeys } from "./database-keys.ts";
import { databasePageLogins } from "./database-page-logins.ts";
import { databasePendingLogins } from "./database-pending-logins.ts";
import { DatabaseSecrets } from "./database-secrets.ts";
import { DatabaseServers } from "./database-servers.ts";
import type { AcceptedToolStore, AuditEntry, Storage } from "./storage.ts";

/** The parts of a storage in a database. */
export interface StorageParts {
  readonly database: Database;
  readonly calls: CallLog;
  readonly redactor: Redactor;
  readonly sealer: Sealer | undefined;
  readonly onWarning: (message: string) => void;
  /** Calls `onNotice` when another gateway has changed something, or may have. */
  listen?(onNotice: () => void): Promise<void>;
  /** Closes the database and everything behind it. */
  close(): Promise<void>;
}

const LAST_USE_INTERVAL = 60_000;

/** Opens the stores of a database. All of them are read into memory, and are read again when something has changed. */
export async function openDatabaseStorage(parts: StorageParts): Promise<Storage> {
  const { database, calls, redactor, onWarning } = parts;
  const changes = new ChangeListeners();
  const check = (): Promise<void> => feed.check();
  const keys = new DatabaseKeys(database, Date.now, check);
  const secrets = new DatabaseSecrets(database, parts.sealer, redactor, Date.now, check, onWarning, () =>
    grants.rotate(),
  );
  const servers = new DatabaseServers(database, Date.now, check);
  const grants = new DatabaseGrants(database, parts.sealer, Date.now, check);
  // Grants are read when they are needed: most of them are those of callers who are not there.
  const stores = { keys, secrets, servers, grants: { load: async () => undefined } };
  const feed = new ChangeFeed(
    database,
    (kind) => stores[kind].load(),
    (kind) => changes.tell(kind),
    (error) => onWarning(`Changes of other gateways could not be read: ${messageOf(error)}`),
  );
  await feed.start();
  await parts.listen?.(() => void feed.check());
  const writeLastUses = (): Promise<void> =>
    keys.writeLastUses().catch((error: unknown) => {
      onWarning(`The last uses of API keys could not be written: ${messageOf(error)}`);
    });
  const timer = setInterval(() => void writeLastUses(), LAST_USE_INTERVAL).unref();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(timer);
    feed.stop();
    changes.clear();
    await calls.close();
    await writeLastUses();
    await parts.close();
  };
  return {
    calls,
    keys,
    secrets,
    servers,
    acceptedTools: databaseAcceptedTools(database, Date.now),
    grants,
    pendingLogins: databasePendingLogins(database, parts.sealer, Date.now),
    // Logins of a gateway that has its database for itself end with it.
    pageLogins: database.kind === "postgres" ? databasePageLogins(database, parts.sealer, Date.now) : undefined,
    shared: { database, check },
    redactor,
    audit: databaseAudit(database, Date.now),
    onChange: (listener) => changes.add(listener),
    close: () => (closing ??= close()),
  };
}

interface AcceptedRow {
  readonly tools: { readonly [tool: string]: string };
}

/** Accepted tools in the database, shared by all gateways on it. They are read when an upstream is listed first. */
function databaseAcceptedTools(database: Database, now: () => number): AcceptedToolStore {
  return {
    async get(server, upstream) {
      const [row] = await database.query<AcceptedRow>(
        "select tools from toolwire.accepted_tools where server = $1 and upstream = $2",
        [server, upstream],
      );
      return row?.tools;
    },
    async set(server, upstream, tools) {
      await database.query(
        `insert into toolwire.accepted_tools (server, upstream, tools, updated_at)
         values ($1, $2, $3::text::json, to_timestamp($4::float8 / 1000))
         on conflict (server, upstream) do update set tools = excluded.tools, updated_at = excluded.updated_at`,
        [server, upstream, JSON.stringify(tools), now()],
      );
    },
  };
}

/** The audit log in the database. */
function databaseAudit(database: Database, now: () => number): Storage["audit"] {
  return {
    async add({ actor, action, subject }) {
      await database.query(
        "insert into toolwire.audit (at, actor, action, subject) values (to_timestamp($1::float8 / 1000), $2, $3, $4)",
        [now(), ...[actor, action, subject].map((text) => text.slice(0, 300).replaceAll("\0", "\uFFFD"))],
      );
    },
    list: (limit) =>
      database.query<AuditEntry>(
        `select (extract(epoch from at) * 1000)::float8 as at, actor, action, subject
         from toolwire.audit order by id desc limit ${limitOf(limit, 100, 1000)}`,
      ),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
