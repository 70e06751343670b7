import type { ServerConfig } from "../config/config.ts";
import { MemoryLog } from "../log/memory-log.ts";
import { Redactor } from "../secrets/redactor.ts";
import { createKey, KeyTable } from "./api-keys.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { memoryGrants, memoryPendingLogins } from "./memory-grants.ts";
import { checkSecret, SecretTable } from "./secret-table.ts";
import {
  type AcceptedToolStore,
  type AuditEntry,
  type KeyStore,
  revisionConflict,
  type SecretStore,
  type ServerStore,
  type Storage,
  type StoredServer,
} from "./storage.ts";

const MOST_AUDIT_ENTRIES = 10_000;

/** A storage whose contents are gone with the process: for tests, and for gateways that are configured by a file alone. */
export function openMemoryStorage(now: () => number = Date.now): Storage {
  const redactor = new Redactor();
  const calls = new MemoryLog(redactor);
  const changes = new ChangeListeners();
  return {
    calls,
    keys: memoryKeys(changes, now),
    secrets: memorySecrets(redactor, changes, now),
    servers: memoryServers(changes, now),
    acceptedTools: memoryAcceptedTools(),
    grants: memoryGrants(changes, now),
    pendingLogins: memoryPendingLogins(now),
    redactor,
    audit: memoryAudit(now),
    onChange: (listener) => changes.add(listener),
    async close() {
      changes.clear();
      await calls.close();
    },
  };
}

function memoryKeys(changes: ChangeListeners, now: () => number): KeyStore {
  const table = new KeyTable(now);
  return {
    async create(request) {
      const { key, digest, secret } = createKey(request, now());
      table.add(digest, key);
      changes.tell("keys");
      return { key, secret };
    },
    find: (secret) => table.find(secret),
    list: () => table.list(),
    async revoke(id) {
      const isRemoved = table.remove(id);
      if (isRemoved) changes.tell("keys");
      return isRemoved;
    },
  };
}

function memorySecrets(redactor: Redactor, changes: ChangeListeners, now: () => number): SecretStore {
  const table = new SecretTable(redactor);
  return {
    async set(name, value, principal) {
      checkSecret(name, value, principal);
      table.set({ name, principal, updatedAt: now() }, value);
      changes.tell("secrets");
    },
    get: (name, principal) => table.get(name, principal),
    list: () => table.list(),
    async remove(name, principal) {
      const isRemoved = table.remove(name, principal);
      if (isRemoved) changes.tell("secrets");
      return isRemoved;
    },
    // Values in memory are not sealed.
    rotate: async () => 0,
  };
}

function memoryServers(changes: ChangeListeners, now: () => number): ServerStore {
  const servers = new Map<string, StoredServer>();
  return {
    list: () => [...servers.values()].toSorted((one, other) => (one.slug < other.slug ? -1 : 1)),
    async put(slug: string, config: ServerConfig, revision: number) {
      if ((servers.get(slug)?.revision ?? 0) !== revision) throw revisionConflict(slug, revision);
      const stored = { slug, config: structuredClone(config), revision: revision + 1, updatedAt: now() };
      servers.set(slug, stored);
      changes.tell("servers");
      return stored;
    },
    async remove(slug, revision) {
      const stored = servers.get(slug);
      if (stored === undefined) return false;
      if (stored.revision !== revision) throw revisionConflict(slug, revision);
      servers.delete(slug);
      changes.tell("servers");
      return true;
    },
  };
}

function memoryAcceptedTools(): AcceptedToolStore {
  const accepted = new Map<string, { readonly [tool: string]: string }>();
  return {
    get: async (server, upstream) => accepted.get(JSON.stringify([server, upstream])),
    async set(server, upstream, tools) {
      accepted.set(JSON.stringify([server, upstream]), tools);
    },
  };
}

function memoryAudit(now: () => number): Storage["audit"] {
  const entries: AuditEntry[] = [];
  return {
    async add(entry) {
      entries.push({ at: now(), ...entry });
      if (entries.length > MOST_AUDIT_ENTRIES) entries.shift();
    },
    list: async (limit = 100) => entries.slice(-limit).toReversed(),
  };
}
