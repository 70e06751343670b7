import type { CallLog } from "../log/call-log.ts";
import type { Database } from "../log/database/database.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Sealer } from "../secrets/sealing.ts";
import { ChangeFeed } from "./change-feed.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { databaseAcceptedTools } from "./database-accepted-tools.ts";
import { databaseAudit } from "./database-audit.ts";
import { DatabaseGrants } from "./database-grants.ts";
import { DatabaseKeys } from "./database-keys.ts";
import { databasePendingLogins } from "./database-pending-logins.ts";
import { DatabaseSecrets } from "./database-secrets.ts";
import { DatabaseServers } from "./database-servers.ts";
import type { Storage } from "./storage.ts";

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
    redactor,
    audit: databaseAudit(database, Date.now),
    onChange: (listener) => changes.add(listener),
    close: () => (closing ??= close()),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
