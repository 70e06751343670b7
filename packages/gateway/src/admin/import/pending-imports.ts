import { randomUUID } from "node:crypto";
import type { DeclaredScheme } from "@toolwire/openapi";
import type { CandidateView } from "../views.ts";

/** A document that somebody has read in, and not committed yet. */
export interface PendingImport {
  readonly id: string;
  readonly slug: string;
  /** The text of the document. */
  readonly document: string;
  readonly title: string;
  readonly candidates: readonly CandidateView[];
  readonly schemes: readonly DeclaredScheme[];
  readonly expiresAt: number;
}

const MAX_AGE = 30 * 60_000;

/** Documents can be large. The oldest makes room for another. */
const MAX_PENDING = 8;

/** Keeps documents between the two phases of an import. */
export class PendingImports {
  readonly #now: () => number;
  readonly #pending = new Map<string, PendingImport>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(parts: Omit<PendingImport, "id" | "expiresAt">): PendingImport {
    this.#dropExpired();
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size < MAX_PENDING) break;
      this.#pending.delete(oldest);
    }
    const added = { ...parts, id: randomUUID(), expiresAt: this.#now() + MAX_AGE };
    this.#pending.set(added.id, added);
    return added;
  }

  find(slug: string, id: string): PendingImport | undefined {
    this.#dropExpired();
    const found = this.#pending.get(id);
    return found?.slug === slug ? found : undefined;
  }

  remove(id: string): void {
    this.#pending.delete(id);
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [id, { expiresAt }] of this.#pending) if (now >= expiresAt) this.#pending.delete(id);
  }
}
