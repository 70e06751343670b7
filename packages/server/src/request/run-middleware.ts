import { type Tool, UsageError } from "@toolwire/protocol";
import { isObject, describeKind } from "@toolwire/protocol/internal";
import type { RateLimitStore } from "../cluster/stores.ts";
import type { Context } from "../define/context.ts";
import type { AbortListener, ServerMiddleware, NamedResource, RequestCall } from "../define/middleware.ts";
import type { TracePlace } from "../define/observer.ts";
import type { Awaitable } from "../define/tool.ts";
import { methodNotFound, resourceNotFound, unknownName, unknownTemplate } from "../errors.ts";
import type { Origin } from "../origin.ts";
import { expectKind, refuseUnknownTool } from "./errors.ts";
import { findResource } from "./seen-request.ts";
import type { ServedRequest } from "./served-request.ts";
import { isThenable } from "./thenable.ts";

/**
 * Runs a request through middleware, outermost first, and then to its handler. `changed` are its parameters if they are
 * not those that the client sent. `tool` is the name of the tool that the middleware goes around; without it, the
 * middleware goes around all requests.
 *
 * The result of each layer is checked before the layer around it sees it. Otherwise an outer layer could turn a missing
 * result into one, and no error would name the layer that forgot to return.
 */
export function runMiddleware(
  middleware: readonly ServerMiddleware[],
  request: ServedRequest,
  changed: object | undefined,
  handle: (params: object | undefined) => object | Promise<object>,
  tool?: string,
): object | Promise<object> {
  const expectResult = (index: number, result: unknown): object => {
    if (isObject(result)) return result;
    throw missingResult(index, middleware[index]?.name, tool, result);
  };
  const enter = (index: number, call: MiddlewareCall): object | Promise<object> => {
    const layer = middleware[index];
    if (layer === undefined) return handle(call.params);
    const returned: unknown = layer(call, (params) => {
      // Synchronous errors become rejections, so that middleware has one kind of failure to handle.
      try {
        return request.track(enter(index + 1, params === undefined ? call : new MiddlewareCall(request, params)));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
    if (!isThenable(returned)) return expectResult(index, returned);
    return Promise.resolve(returned).then((result) => expectResult(index, result));
  };
  return enter(0, new MiddlewareCall(request, changed));
}

/** A request as middleware sees it, with the parameters that the layer around it passed on. */
class MiddlewareCall implements RequestCall {
  readonly #request: ServedRequest;
  /** The parameters, if they are not those that the client sent. Requests that stay open drop those. */
  readonly #changed: object | undefined;

  constructor(request: ServedRequest, changed: object | undefined) {
    this.#request = request;
    this.#changed = changed;
  }

  get params(): object | undefined {
    return this.#changed ?? this.#request.params;
  }

  get method(): string {
    return this.#request.method;
  }

  get context(): Context {
    return this.#request.context;
  }

  get origin(): Origin {
    return this.#request.origin;
  }

  get tool(): Tool | undefined {
    return this.#request.tool;
  }

  get limits(): RateLimitStore | undefined {
    return this.#request.definition.limits;
  }

  get trace(): TracePlace | undefined {
    return this.#request.observation?.trace;
  }

  get isOver(): boolean {
    return this.#request.isOver;
  }

  get isDetached(): boolean {
    return this.#request.run !== undefined;
  }

  get isCancelled(): boolean {
    return this.#request.isCancelled;
  }

  abort(reason: unknown): void {
    this.#request.abort(reason);
  }

  onAbort(listener: AbortListener): void {
    this.#request.onAbort(listener);
  }

  offAbort(listener: AbortListener): void {
    this.#request.offAbort(listener);
  }

  findResource(uri: string): NamedResource | undefined {
    return findResource(this.#request, uri);
  }

  findTemplate(uriTemplate: string): string | undefined {
    return this.#request.definition.resources.families.get(uriTemplate)?.name;
  }

  showOnly(isShown: (item: object) => Awaitable<boolean>): void {
    const { isShown: isShownSoFar } = this.#request;
    this.#request.isShown = async (item) => (isShownSoFar === undefined || (await isShownSoFar(item))) && isShown(item);
  }

  refuseAsUnknown(): object {
    const request = this.#request;
    const { name, uri, ref } = (this.params ?? {}) as { name?: unknown; uri?: unknown; ref?: unknown };
    switch (request.method) {
      case "tools/call":
        expectKind(request, "tools");
        return refuseUnknownTool(request, String(name));
      case "prompts/get":
        expectKind(request, "prompts");
        throw unknownName("prompt", String(name));
      case "resources/read":
      case "resources/subscribe":
        expectKind(request, "resources");
        throw resourceNotFound(request.revision, String(uri));
      case "completion/complete":
        expectKind(request, "completions");
        if (isObject(ref) && ref["type"] === "ref/prompt") throw unknownName("prompt", String(ref["name"]));
        throw unknownTemplate();
      default:
        throw methodNotFound(request.method);
    }
  }
}

/** The error for the operator. The caller only gets its id. */
function missingResult(index: number, name = "", tool: string | undefined, returned: unknown): UsageError {
  const owner = tool === undefined ? "the server" : `tool "${tool}"`;
  const place = `middleware[${index}] of ${owner}${name === "" ? "" : ` ("${name}")`}`;
  return new UsageError(
    "INVALID_ARGUMENT",
    `${place} returned ${returned === undefined ? "nothing" : describeKind(returned)}, but must return the result of \`next()\` or another one: \`return await next()\`.`,
  );
}
