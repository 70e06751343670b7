import type { KeyStore } from "../cluster/stores.ts";
import { Unavailable } from "../errors.ts";
import type { Definition } from "../registry/definition.ts";
import { type KeyRing, LONGEST_LIFE_MS, type RingKey, ringOf } from "./key-ring.ts";
import { expiryOf, openWith, readSealed, type Seal, sealWith, StateSeal } from "./seal.ts";

/** Seals with the keys of a ring. Sealed text begins with the id of its key, which cannot be changed either. */
export class RingSeal implements Seal {
  readonly #ring: KeyRing;
  readonly #ttlMs: number;
  readonly #own: Seal;

  /** `own` opens text without the id of a key: it was sealed in this process before it had the ring. */
  constructor(ring: KeyRing, ttlMs: number, own: Seal) {
    this.#ring = ring;
    this.#ttlMs = Math.min(ttlMs, LONGEST_LIFE_MS);
    this.#own = own;
  }

  async seal(value: unknown, context: string, now: number = Date.now()): Promise<string> {
    const { id, key } = await this.#take();
    return `${id}.${await sealWith(key, value, contextOf(id, context), expiryOf(now, this.#ttlMs))}`;
  }

  async open(
    text: string,
    context: string,
    now: number = Date.now(),
  ): Promise<{ readonly value: unknown } | undefined> {
    const end = text.indexOf(".");
    if (end === -1) return this.#own.open(text, context, now);
    const id = text.slice(0, end);
    const bytes = readSealed(text.slice(end + 1));
    const found = bytes && (await this.#find(id));
    const opened = found && (await openWith(found.key, bytes, contextOf(id, context)));
    return opened !== undefined && opened.expires > now ? { value: opened.value } : undefined;
  }

  /** A handler that asks has begun its work, so nothing is said about that. */
  async #take(): Promise<RingKey> {
    try {
      return await this.#ring.takeKey();
    } catch (error) {
      throw new Unavailable(error, { message: "This cannot be served at the moment; try again." });
    }
  }

  /** What was sealed elsewhere may be good, so its caller has to come again when that can be found out. */
  async #find(id: string): Promise<RingKey | undefined> {
    try {
      return await this.#ring.find(id);
    } catch (error) {
      throw new Unavailable(error);
    }
  }
}

function contextOf(keyId: string, context: string): string {
  return `${keyId}.${context}`;
}

/** Chooses between the keys that were given, those of a cluster, and one of this process. */
export class ChosenSeal {
  readonly #own: StateSeal;
  readonly #ttlMs: number;
  readonly #hasSecrets: boolean;
  #shared: { readonly store: KeyStore; readonly seal: Seal } | undefined;

  constructor(secrets: readonly Uint8Array[], ttlMs: number) {
    this.#own = new StateSeal(secrets, ttlMs);
    this.#ttlMs = ttlMs;
    this.#hasSecrets = secrets.length > 0;
  }

  /** The seal to use with these keys of a cluster, if there are any. */
  choose(store: KeyStore | undefined): Seal {
    if (store === undefined || this.#hasSecrets) return this.#own;
    if (this.#shared?.store !== store) {
      this.#shared = { store, seal: new RingSeal(ringOf(store), this.#ttlMs, this.#own) };
    }
    return this.#shared.seal;
  }
}

const seals = new WeakMap<Definition, ChosenSeal>();

/** The seal of a server, made when its first question is asked. */
export function sealOf(definition: Definition): Seal {
  let seal = seals.get(definition);
  if (seal === undefined) {
    seal = new ChosenSeal(definition.listStateKeys(), definition.inputTimeout);
    seals.set(definition, seal);
  }
  return seal.choose(definition.cluster.current?.keys);
}
