import { isObject } from "@toolwire/protocol/internal";
import { ClusterError } from "../cluster/cluster.ts";
import type { KeyStore, StoredKey } from "../cluster/stores.ts";
import { fromBase64Url, toBase64Url } from "../content/binary.ts";
import { importKey, KEY_BYTES } from "./seal.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How often a node reads the ring again. */
const REFRESH_MS = 10 * MINUTE;
/** A key seals only when all nodes have read the ring since it was added; the first key of all seals at once. */
const ACTIVE_AFTER_MS = 2 * REFRESH_MS;
/** How long the newest key is used before another one is added. */
const ROTATE_AFTER_MS = 7 * DAY;
/** How long text is good that was sealed with a key of the ring, at most. */
export const LONGEST_LIFE_MS: number = 30 * DAY;
const REMOVE_AFTER_MS = ROTATE_AFTER_MS + LONGEST_LIFE_MS + DAY;
/**
 * How many texts one node seals with one key before another is added. AES-GCM with random nonces bears about 2^32 under one key
 * (NIST SP 800-38D, section 8.3): those of 64 nodes.
 */
const MAX_SEALS = 2 ** 26;
/** How often unknown key ids, which strangers can make up, lead to a look into the engine; and failed rotations to another one. */
const LEAST_PAUSE_MS = 1000;
/** How many keys are kept in memory. */
const MAX_KEYS = 128;

const ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID = /^[A-Za-z0-9]{1,16}$/;

/** A key of the ring, ready to be used. */
export interface RingKey {
  readonly id: string;
  readonly key: CryptoKey;
}

interface KnownKey extends StoredKey {
  readonly key: Promise<CryptoKey>;
  /** When it was added, by the clock of this node. */
  readonly addedAt: number;
}

/** The passing of time, which tests replace. */
export interface RingClock {
  now(): number;
  wait(ms: number): Promise<void>;
}

const realClock: RingClock = {
  now: () => performance.now(),
  wait: (ms) => (ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))),
};

/**
 * The keys that all nodes of a cluster seal with. The first node that needs one adds it. Keys that are known go on working while the
 * engine is down, and are put back if it comes back empty.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #clock: RingClock;
  #keys = new Map<string, KnownKey>();
  /** The ids in the engine, the newest first. */
  #order: readonly string[] = [];
  #readAt: number | undefined;
  /** Whether the last look into the engine has failed. */
  #hasFailed = false;
  #reading: Promise<void> | undefined;
  #nextReading: Promise<void> | undefined;
  #rotatedAt = -Infinity;
  #sealed = { id: "", count: 0 };

  constructor(store: KeyStore, clock: RingClock = realClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The key to seal with.
   *
   * @throws ClusterError if none is known, and the engine cannot be reached
   */
  async takeKey(): Promise<RingKey> {
    const refresh = this.#hasFailed ? LEAST_PAUSE_MS : REFRESH_MS;
    if (this.#readAt === undefined || this.#clock.now() - this.#readAt > refresh) {
      const reading = this.#read();
      if (this.#keys.size === 0) await reading;
      else reading.catch(() => undefined);
    }
    if (this.#keys.size === 0) await this.#addFirst();
    const chosen = this.#choose();
    if (chosen === undefined) throw new ClusterError("UNAVAILABLE", "There is no key to seal with.");
    this.#count(chosen);
    return { id: chosen.id, key: await chosen.key };
  }

  /**
   * Finds the key of this id. Another node may have added it a moment ago, so the engine is asked about one that is not known.
   *
   * @throws ClusterError if it is not known, and the engine cannot be reached
   */
  async find(id: string): Promise<RingKey | undefined> {
    if (!ID.test(id)) return undefined;
    if (!this.#keys.has(id)) await this.#readSoon();
    const known = this.#keys.get(id);
    return known && { id, key: await known.key };
  }

  /** The newest key that all nodes know; if there is none, the oldest, which most know. */
  #choose(): KnownKey | undefined {
    const now = this.#clock.now();
    const keys = this.#order.map((id) => this.#keys.get(id)).filter((key) => key !== undefined);
    return keys.find(({ addedAt }) => now - addedAt >= ACTIVE_AFTER_MS) ?? keys.at(-1) ?? [...this.#keys.values()][0];
  }

  #count({ id, addedAt }: KnownKey): void {
    if (this.#sealed.id !== id) this.#sealed = { id, count: 0 };
    this.#sealed.count += 1;
    const [newest] = this.#order;
    if (id !== newest) return;
    const now = this.#clock.now();
    const isDue = now - addedAt > ROTATE_AFTER_MS || this.#sealed.count > MAX_SEALS;
    if (!isDue || now - this.#rotatedAt < LEAST_PAUSE_MS) return;
    this.#rotatedAt = now;
    // This key goes on sealing meanwhile, also if that fails.
    this.#rotate(newest).catch(() => undefined);
  }

  async #addFirst(): Promise<void> {
    await this.#store.add(createKey(), undefined);
    await this.#readAfresh();
  }

  async #rotate(newest: string): Promise<void> {
    const isNew = await this.#store.add(createKey(), newest);
    if (isNew) {
      const now = this.#clock.now();
      const old = [...this.#keys.values()].filter(({ addedAt }) => now - addedAt > REMOVE_AFTER_MS);
      await Promise.all(old.map(({ id }) => this.#store.remove(id)));
    }
    await this.#readAfresh();
  }

  /** Reads the ring, after a pause if it was read a moment ago. Many may wait for that together. */
  #readSoon(): Promise<void> {
    return (this.#nextReading ??= this.#readAfterPause());
  }

  async #readAfterPause(): Promise<void> {
    try {
      await this.#clock.wait(Math.max((this.#readAt ?? -Infinity) + LEAST_PAUSE_MS - this.#clock.now(), 0));
    } finally {
      this.#nextReading = undefined;
    }
    await this.#readAfresh();
  }

  /** Reads the ring. A reading that has begun before may miss what was added since. */
  async #readAfresh(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.#read();
  }

  #read(): Promise<void> {
    return (this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    }));
  }

  async #readNow(): Promise<void> {
    this.#readAt = this.#clock.now();
    this.#hasFailed = true;
    let stored = await this.#list();
    this.#takeOver(stored);
    // Other nodes may add keys at the same moment, and only one of them succeeds.
    for (let attempt = 0; attempt < 3 && (await this.#putBack(stored)); attempt += 1) {
      stored = await this.#list();
      this.#takeOver(stored);
    }
    this.#hasFailed = false;
  }

  async #list(): Promise<(StoredKey & { readonly age: number })[]> {
    const stored: readonly unknown[] = await this.#store.list();
    return stored.filter(isStoredKey).slice(0, MAX_KEYS);
  }

  /** Remembers keys, and forgets those that are too old for any text. */
  #takeOver(stored: readonly (StoredKey & { readonly age: number })[]): void {
    const now = this.#clock.now();
    const kept = [...this.#keys].filter(([, { addedAt }]) => now - addedAt <= REMOVE_AFTER_MS);
    this.#keys = new Map(kept.slice(-MAX_KEYS));
    for (const { id, secret, age } of stored) {
      const known = this.#keys.get(id);
      if (known?.secret === secret) continue;
      this.#keys.set(id, { id, secret, addedAt: now - age, key: importKey(fromBase64Url(secret) ?? NO_BYTES) });
    }
    this.#order = stored.map(({ id }) => id);
  }

  /** Adds the keys that the engine has lost: one that keeps nothing on disk is empty when it starts again. Returns whether there were any. */
  async #putBack(stored: readonly StoredKey[]): Promise<boolean> {
    const youngerThan = REMOVE_AFTER_MS - DAY;
    const now = this.#clock.now();
    const isLost = ({ id, addedAt }: KnownKey): boolean =>
      now - addedAt < youngerThan && !stored.some((key) => key.id === id);
    const lost = [...this.#keys.values()].filter(isLost).toSorted((a, b) => a.addedAt - b.addedAt);
    let after = stored[0]?.id;
    for (const { id, secret } of lost) {
      if (!(await this.#store.add({ id, secret }, after))) break;
      after = id;
    }
    return lost.length > 0;
  }
}

const NO_BYTES = new Uint8Array();

function createKey(): StoredKey {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const id = Array.from(bytes, (byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]).join("");
  return { id, secret: toBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES))) };
}

/** Whether a value is a key, and nothing that something else has left in the engine. */
function isStoredKey(value: unknown): value is StoredKey & { readonly age: number } {
  if (!isObject(value)) return false;
  const { id, secret, age } = value;
  if (typeof id !== "string" || !ID.test(id) || typeof secret !== "string") return false;
  return typeof age === "number" && age >= 0 && fromBase64Url(secret)?.length === KEY_BYTES;
}

const rings = new WeakMap<KeyStore, KeyRing>();

/** The ring of a cluster: one for all that seals in this process. */
export function ringOf(store: KeyStore): KeyRing {
  let ring = rings.get(store);
  if (ring === undefined) rings.set(store, (ring = new KeyRing(store)));
  return ring;
}
