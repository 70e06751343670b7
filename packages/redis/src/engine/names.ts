import { createHash } from "node:crypto";
import { ClusterError } from "@toolwire/server/cluster";

/** How many bytes of facts a session may have: a part of the contract. */
export const MAX_FACTS: number = 16 * 1024;

/** How many characters may be announced at once: a part of the contract. */
export const MAX_ANNOUNCED: number = 64 * 1024;

/** How many characters ids, keys and names may have. */
const MAX_KEY = 1024;

/** Refuses what is larger than the engine takes. Names no content: it may be secret. */
export function expectSize(what: string, size: number, max: number): void {
  if (size <= max) return;
  throw new ClusterError("TOO_LARGE", `${what} has a size of ${size}, and the engine takes at most ${max}.`);
}

/** Refuses a name that is too long. */
export function expectKey(key: string): string {
  expectSize("A key", key.length, MAX_KEY);
  return key;
}

/**
 * Stands for an id or a name in the names of keys. Those are shown by what operators use (MONITOR, SLOWLOG, SCAN), while ids of sessions are
 * credentials, and names of callers are nobody's business. It has no braces, which mean something in a cluster, and 22 characters.
 */
export function digestOf(text: string): string {
  return createHash("sha256").update(expectKey(text)).digest("base64url").slice(0, 22);
}

/** The names of all keys and channels. What is in braces decides which server of a cluster has a key. */
export class Names {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The record of a session, and what all keys of that session begin with. */
  session(id: string): { readonly record: string; readonly base: string } {
    const base = `${this.#prefix}:{${digestOf(id)}}:`;
    return { record: `${base}s`, base };
  }

  /** The events of a stream, what is known of it, and the streams of its session. */
  stream(session: string, stream: string): readonly [events: string, state: string, streams: string] {
    const { base } = this.session(session);
    const key = expectKey(stream);
    return [`${base}e:${key}`, `${base}m:${key}`, `${base}t`];
  }

  /** All sessions by the time at which they end, and those of a client. */
  rooms(client: string | undefined): readonly string[] {
    const base = `${this.#prefix}:{rooms}:`;
    return [`${base}all`, ...(client === undefined ? [] : [`${base}c:${digestOf(client)}`])];
  }

  /** The log of changes, its state, and the mark of one announcement. */
  changes(announcement: string): readonly [log: string, state: string, mark: string] {
    const base = `${this.#prefix}:{changes}:`;
    return [`${base}log`, `${base}state`, `${base}a:${announcement}`];
  }

  limit(key: string): string {
    return `${this.#prefix}:l:${digestOf(key)}`;
  }

  once(key: string): string {
    return `${this.#prefix}:o:${digestOf(key)}`;
  }

  get ring(): string {
    return `${this.#prefix}:ring`;
  }

  /** Says that a node is there. */
  node(node: string): string {
    return `${this.#prefix}:h:${node}`;
  }

  /** A body that is too large for a channel. */
  body(name: string): string {
    return `${this.#prefix}:b:${name}`;
  }

  /** The channel of a node. */
  inbox(node: string): string {
    return `${this.#prefix}:n:${node}`;
  }

  /** The channel of all nodes. */
  get all(): string {
    return `${this.#prefix}:all`;
  }
}
