import type { AuthStore } from "@toolwire/client/auth";
import { Turns } from "@toolwire/protocol/internal";
import type { ChangeListeners } from "./change-listeners.ts";
import { groupOfPending, isAnnounced, kindOfKey, MOST_PENDING, ownerOfKey, textOf } from "./grant-keys.ts";
import type { GrantEntry, GrantOwner, GrantStore, PendingLoginStore } from "./storage.ts";

interface Value {
  readonly kind: string;
  readonly owner: GrantOwner;
  readonly value: unknown;
  readonly version: string;
  readonly since: number;
}

/** Grants that are gone with the process. */
export function memoryGrants(changes: ChangeListeners, now: () => number): GrantStore {
  const values = new Map<string, Value>();
  /** Several gateways of one process may share these grants, and each sees a store of its own: so the locks are here. */
  const turns = new Turns();
  let writes = 0;

  const openStore = (owner: GrantOwner): AuthStore => ({
    lock: (key, work, { signal }) => turns.run(placeOf(owner, key), signal, work),
    get: async (key) => values.get(placeOf(owner, key)),
    async swap(key, expected, next) {
      const place = placeOf(owner, key);
      const known = values.get(place);
      if (known?.version !== expected) return false;
      if (next === undefined) values.delete(place);
      else {
        const since = known?.since ?? now();
        const kind = kindOfKey(key);
        values.set(place, { kind, owner, value: structuredClone(next), version: String((writes += 1)), since });
      }
      if (isAnnounced(kindOfKey(key), expected, next)) changes.tell("grants");
      return true;
    },
  });

  return {
    open: openStore,
    async list(of) {
      const entries = new Map<string, GrantEntry & { readonly isLoggedIn: boolean }>();
      for (const { kind, owner, since, version } of values.values()) {
        const isUpstream = of === undefined || (owner.server === of.server && owner.upstream === of.upstream);
        const isMeant = isUpstream && (of === undefined || !("principal" in of) || owner.principal === of.principal);
        if (kind === "registration" || !isMeant) continue;
        const known = entries.get(textOf(owner));
        entries.set(textOf(owner), {
          ...owner,
          since: Math.min(since, known?.since ?? Infinity),
          version: known === undefined ? version : `${known.version} ${version}`,
          isLoggedIn: kind === "grant" || known?.isLoggedIn === true,
        });
      }
      return [...entries.values()]
        .filter(({ isLoggedIn }) => isLoggedIn)
        .map(({ isLoggedIn: _isLoggedIn, ...entry }) => entry);
    },
    async remove(owner) {
      let isRemoved = false;
      for (const [place, value] of values) {
        if (value.kind === "registration" || textOf(value.owner) !== textOf(owner)) continue;
        values.delete(place);
        isRemoved ||= value.kind === "grant";
      }
      if (isRemoved) changes.tell("grants");
      return isRemoved;
    },
  };
}

function placeOf(owner: GrantOwner, key: string): string {
  return JSON.stringify([textOf(ownerOfKey(owner, key)), key]);
}

/** Pending logins that are gone with the process. */
export function memoryPendingLogins(now: () => number): PendingLoginStore {
  const logins = new Map<string, { readonly group: string; readonly value: string; readonly expiresAt: number }>();
  const find = (id: string): string | undefined => {
    const login = logins.get(id);
    return login === undefined || login.expiresAt <= now() ? undefined : login.value;
  };
  return {
    async put(id, owner, value, expiresAt) {
      const group = groupOfPending(id, owner);
      for (const [other, login] of logins) if (login.expiresAt <= now()) logins.delete(other);
      const own = [...logins].filter(([, login]) => login.group === group);
      for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - MOST_PENDING))) logins.delete(oldest);
      logins.set(id, { group, value, expiresAt });
    },
    read: async (id) => find(id),
    async take(id) {
      const value = find(id);
      logins.delete(id);
      return value;
    },
  };
}
