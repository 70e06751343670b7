import { isObject } from "@toolwire/protocol/internal";
import type { RequestCall, ServerNext } from "@toolwire/server";
import type { OfferedResources } from "./offered-resources.ts";

/** The most resources that one request may watch. */
const MAX_URIS = 1000;

/** The resources that callers watch: those of legacy sessions, and those of modern subscriptions. */
export class Watches {
  readonly #resources: OfferedResources;
  /** What ends each watch, by session and URI. */
  readonly #sessions = new WeakMap<object, Map<string, () => void>>();

  constructor(resources: OfferedResources) {
    this.#resources = resources;
  }

  /** Serves `resources/subscribe`. */
  async subscribe(call: RequestCall, next: ServerNext): Promise<object> {
    const { connection } = call.origin;
    const result = await next();
    const uri = textOf(call.params, "uri");
    const watches = this.#sessions.get(connection) ?? new Map<string, () => void>();
    this.#sessions.set(connection, watches);
    if (uri === undefined || watches.has(uri)) return result;
    // Noted before it is waited for, so that a second request for the same is not watched twice.
    watches.set(uri, () => {});
    const end = await this.#resources.watch(uri, call.context.principal?.id);
    watches.set(uri, () => {
      watches.delete(uri);
      end();
    });
    return result;
  }

  /** Serves `resources/unsubscribe`. */
  unsubscribe(call: RequestCall, next: ServerNext): Promise<object> {
    this.#sessions.get(call.origin.connection)?.get(textOf(call.params, "uri") ?? "")?.();
    return next();
  }

  /** Serves `subscriptions/listen`, for as long as it lasts. */
  async listen(call: RequestCall, next: ServerNext): Promise<object> {
    const { notifications } = isObject(call.params) ? call.params : {};
    const { resourceSubscriptions } = isObject(notifications) ? notifications : {};
    const uris: unknown[] = Array.isArray(resourceSubscriptions) ? resourceSubscriptions.slice(0, MAX_URIS) : [];
    const principal = call.context.principal?.id;
    const watched = uris.filter((uri) => typeof uri === "string").map((uri) => this.#resources.watch(uri, principal));
    const ends = await Promise.all(watched);
    try {
      return await next();
    } finally {
      for (const end of ends) end();
    }
  }
}

/** A member of the parameters of a request, if it is a text. */
export function textOf(params: object | undefined, name: string): string | undefined {
  const value = (params as { readonly [member: string]: unknown } | undefined)?.[name];
  return typeof value === "string" ? value : undefined;
}
