import { toUSVString } from "node:util";
import { UsageError } from "@toolwire/protocol";
import { LONGEST_SECRET, type Redactor } from "../secrets/redactor.ts";
import { Secret } from "../secrets/secret.ts";

/** A secret as it is listed: never with its value. */
export interface SecretEntry {
  readonly name: string;
  readonly principal?: string | undefined;
  readonly updatedAt: number;
}

interface LiveSecret extends SecretEntry {
  readonly secret: Secret;
  /** Ends the search for the value in texts. */
  readonly release: () => void;
}

/** The secrets in memory. All of them are in the redactor for as long as they are here. */
export class SecretTable {
  readonly #redactor: Redactor;
  readonly #secrets = new Map<string, LiveSecret>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  get(name: string, principal?: string): Secret | undefined {
    return this.#secrets.get(keyOf(name, principal))?.secret;
  }

  set(entry: SecretEntry, value: string): void {
    const key = keyOf(entry.name, entry.principal);
    const release = this.#redactor.add(value);
    this.#secrets.get(key)?.release();
    this.#secrets.set(key, { ...entry, secret: new Secret(value), release });
  }

  remove(name: string, principal?: string): boolean {
    const key = keyOf(name, principal);
    this.#secrets.get(key)?.release();
    return this.#secrets.delete(key);
  }

  /** By name, shared ones before those of principals. */
  list(): readonly SecretEntry[] {
    return [...this.#secrets]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { name, principal, updatedAt }]) => ({
        name,
        ...(principal !== undefined && { principal }),
        updatedAt,
      }));
  }

  /** Forgets all secrets but these. */
  keepOnly(entries: readonly SecretEntry[]): void {
    const kept = new Set(entries.map(({ name, principal }) => keyOf(name, principal)));
    for (const [key, { name, principal }] of this.#secrets) if (!kept.has(key)) this.remove(name, principal);
  }
}

/** Refuses names and values that could not be referred to or kept. */
export function checkSecret(name: string, value: string, principal: string | undefined): void {
  if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(name)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "The name of a secret has 1 to 128 letters, digits, dots, underscores and hyphens, and begins with a letter or a digit.",
    );
  }
  if (principal !== undefined && (principal === "" || principal.length > 256)) {
    throw new UsageError("INVALID_ARGUMENT", "The principal of a secret has 1 to 256 characters.");
  }
  if (value === "" || value.length > LONGEST_SECRET || value.includes("\0") || value !== toUSVString(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The value of the secret ${name} must have 1 to ${LONGEST_SECRET} characters, all of them valid Unicode and none of them NUL.`,
    );
  }
}

function keyOf(name: string, principal: string | undefined): string {
  return JSON.stringify([name, principal ?? ""]);
}
