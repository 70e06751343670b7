import type { NamedResource } from "../define/middleware.ts";
import type { ObservedRequest } from "../define/observer.ts";
import type { Origin } from "../origin.ts";
import type { RequestContext } from "./context.ts";
import type { ServedRequest } from "./served-request.ts";

/** A request as an observer sees it. The names are looked up when they are asked for. */
export class SeenRequest implements ObservedRequest {
  readonly isRouted: boolean;
  readonly #request: ServedRequest;

  constructor(request: ServedRequest, isRouted: boolean) {
    this.#request = request;
    this.isRouted = isRouted;
  }

  get method(): string {
    return this.#request.method;
  }

  get params(): object | undefined {
    return this.#request.params;
  }

  get context(): RequestContext {
    return this.#request.context;
  }

  get origin(): Origin {
    return this.#request.origin;
  }

  get tool(): string | undefined {
    const { route, definition } = this.#request;
    return route.isToolCall ? definition.tools.find(this.#text("name"))?.name : undefined;
  }

  get prompt(): string | undefined {
    if (this.method !== "prompts/get") return undefined;
    const name = this.#text("name");
    return this.#request.definition.prompts.has(name) ? name : undefined;
  }

  get resource(): NamedResource | undefined {
    return findResource(this.#request, this.#text("uri"));
  }

  #text(member: "name" | "uri"): string {
    const value = (this.params as { readonly name?: unknown; readonly uri?: unknown } | undefined)?.[member];
    return typeof value === "string" ? value : "";
  }
}

/** The resource that serves a URI, as its definition knows it. */
export function findResource({ definition }: ServedRequest, uri: string): NamedResource | undefined {
  const found = definition.resources.locate(uri);
  if (found === undefined) return undefined;
  return { name: found.name, uri: found.canonicalUri(), values: found.values as NamedResource["values"] };
}
