import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { UsageError } from "@toolwire/protocol";
import type { SealingKey } from "./sealing-keys.ts";

/** Identifies a secret. A sealed value opens only under the identity that it was sealed for. */
export interface SecretIdentity {
  readonly name: string;
  /** `undefined` for a secret that all callers share. */
  readonly principal: string | undefined;
  /** Increases with each value. */
  readonly version: number;
}

/** A secret as it is stored: a data key of its own, wrapped by a sealing key, and the value, encrypted with the data key. */
export interface SealedSecret {
  /** The sealing key that wraps the data key. */
  readonly keyId: string;
  /** 60 bytes, in base64. A rotation of keys changes this alone. */
  readonly wrapped: string;
  readonly sealed: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens secrets with AES-256-GCM. The first key seals; all keys open. */
export class Sealer {
  readonly #keys: ReadonlyMap<string, SealingKey>;
  readonly #first: SealingKey;

  constructor(keys: readonly SealingKey[]) {
    const [first] = keys;
    if (first === undefined) throw new UsageError("INVALID_ARGUMENT", "A sealer needs at least one key.");
    this.#first = first;
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  seal(value: string, identity: SecretIdentity): SealedSecret {
    const dataKey = randomBytes(32);
    return {
      keyId: this.#first.id,
      wrapped: encrypt(this.#first.bytes, dataKey, bindingOf("key", identity, this.#first.id)),
      sealed: encrypt(dataKey, Buffer.from(value), bindingOf("value", identity, "")),
    };
  }

  /** @throws UsageError if the key is not there, or the secret was sealed for another identity, or changed */
  open(secret: SealedSecret, identity: SecretIdentity): string {
    const dataKey = this.#unwrap(secret, identity);
    return refuseIfChanged(identity, () =>
      decrypt(dataKey, secret.sealed, bindingOf("value", identity, "")).toString("utf8"),
    );
  }

  /** Whether the secret is wrapped by another key than the first. */
  isOutdated(secret: Pick<SealedSecret, "keyId">): boolean {
    return secret.keyId !== this.#first.id;
  }

  /** Wraps the data key with the first key. The value stays encrypted as it is. */
  rewrap(secret: SealedSecret, identity: SecretIdentity): SealedSecret {
    const dataKey = this.#unwrap(secret, identity);
    const wrapped = encrypt(this.#first.bytes, dataKey, bindingOf("key", identity, this.#first.id));
    return { keyId: this.#first.id, wrapped, sealed: secret.sealed };
  }

  #unwrap(secret: SealedSecret, identity: SecretIdentity): Buffer {
    const key = this.#keys.get(secret.keyId);
    if (key === undefined) {
      throw new UsageError(
        "INVALID_STATE",
        `The secret ${nameOf(identity)} is sealed with the key ${secret.keyId}, which is not among the sealing keys ` +
          `(${[...this.#keys.keys()].join(", ")}). Add it to TOOLWIRE_GATEWAY_KEYS, or set the secret again.`,
      );
    }
    return refuseIfChanged(identity, () =>
      decrypt(key.bytes, secret.wrapped, bindingOf("key", identity, secret.keyId)),
    );
  }
}

/** The sealer of a storage. Throws a `UsageError` if no sealing keys are configured. */
export function needSealer(sealer: Sealer | undefined): Sealer {
  if (sealer !== undefined) return sealer;
  throw new UsageError(
    "INVALID_STATE",
    "Secrets in Postgres need sealing keys, the same ones on every machine. Set TOOLWIRE_GATEWAY_KEYS to id:key, where the " +
      "key is 32 random bytes in base64 (openssl rand -base64 32), or to file:path of a file with such lines.",
  );
}

/** Data that is not encrypted, but without which nothing opens: a value cannot be moved to another row, or back in time. */
function bindingOf(part: "key" | "value", { name, principal, version }: SecretIdentity, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(["toolwire-secret-1", part, name, principal ?? null, version, keyId]));
}

function refuseIfChanged<Result>(identity: SecretIdentity, open: () => Result): Result {
  try {
    return open();
  } catch {
    throw new UsageError(
      "INVALID_STATE",
      `The secret ${nameOf(identity)} cannot be opened: its row was changed or belongs to another secret, or the sealing ` +
        "key has the same id as the right one but another value. Set the secret again.",
    );
  }
}

function nameOf({ name, principal }: SecretIdentity): string {
  return principal === undefined ? name : `${name} of ${principal}`;
}

function encrypt(key: Buffer, plain: Buffer, binding: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(binding);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString("base64");
}

function decrypt(key: Buffer, text: string, binding: Buffer): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new RangeError("too short");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(binding);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
