/** How many sessions are remembered at most. Those beyond that are hashed anew. */
const MAX_SESSIONS = 1000;
/** The most characters of an id that is hashed. Ours are UUIDs; a caller can send anything. */
const MAX_ID = 512;

/**
 * Hashes the ids of sessions, which are credentials, so that spans of one session can be found without letting their readers use it.
 * Hashing is asynchronous in the Web Crypto API, so the first spans of a session have to wait for it when they end.
 */
export class SessionHashes {
  readonly #hashes = new Map<string, string | Promise<string>>();

  of(id: string): string | Promise<string> {
    const key = id.slice(0, MAX_ID);
    const known = this.#hashes.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#hashes.keys();
    if (oldest !== undefined && this.#hashes.size >= MAX_SESSIONS) this.#hashes.delete(oldest);
    const hashing = hash(key).then((text) => {
      if (this.#hashes.has(key)) this.#hashes.set(key, text);
      return text;
    });
    this.#hashes.set(key, hashing);
    return hashing;
  }
}

async function hash(id: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id));
  // Twelve bytes are sixteen characters without padding.
  const bytes = new Uint8Array(digest, 0, 12);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
