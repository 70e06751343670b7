import type { GrantOwner } from "./storage.ts";

/** The rules for grants and pending logins that all stores follow. */

/** So many links and so many begun logins of one owner may be pending. The oldest one makes room for another of its kind. */
export const MOST_PENDING = 10;

/** Those that make room for each other: links that nobody follows never end a login that somebody has begun. */
export function groupOfPending(id: string, owner: GrantOwner): string {
  return `${kindOfKey(id)} ${textOf(owner)}`;
}

/** Says what the value of a key is, by the first word of the key. */
export function kindOfKey(key: string): string {
  return key.slice(0, key.indexOf(" "));
}

/** The owner of a value: registrations belong to all callers of an upstream. */
export function ownerOfKey(owner: GrantOwner, key: string): GrantOwner {
  return kindOfKey(key) === "registration" ? { ...owner, principal: undefined } : owner;
}

/**
 * Whether others are told of a change: of logins and logouts, and not of renewals, which they read when they need them. The
 * last part of a login that is written is the value `server`.
 */
export function isAnnounced(kind: string, expected: string | undefined, next: unknown): boolean {
  return kind === "server" || (kind === "grant" && (expected === undefined) !== (next === undefined));
}

/** The owner as one text that no other owner has. */
export function textOf({ server, upstream, principal }: GrantOwner): string {
  return JSON.stringify([server, upstream, principal ?? null]);
}
