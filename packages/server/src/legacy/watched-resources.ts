import { invalidParams } from "../errors.ts";
import { MAX_WATCHED } from "../subscriptions/watched.ts";

/** How long the URIs of one session may be together, in characters. */
const MAX_LENGTH = 65_536;

/** The resources of whose changes a legacy session wants to hear. */
export class WatchedResources {
  readonly #uris = new Set<string>();
  #length = 0;

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws an `RpcError` if there are as many as there may be. */
  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    if (this.#uris.size >= MAX_WATCHED) throw tooMany(`${MAX_WATCHED} resources`);
    if (this.#length + uri.length > MAX_LENGTH) {
      throw tooMany(`resources whose URIs have ${MAX_LENGTH} characters in all`);
    }
    this.#uris.add(uri);
    this.#length += uri.length;
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#length -= uri.length;
  }
}

function tooMany(limit: string): Error {
  return invalidParams(`A session may watch ${limit}: unsubscribe from some first.`);
}
