import {
  claimsModernEra,
  isObject,
  PreparedJson,
  readProtocolVersion,
  readRequestMeta,
  type PerRequestMeta,
} from "@toolwire/protocol/internal";
import {
  eraOf,
  MetaKey,
  toErrorResponse,
  type Exchange,
  type Reply,
  type RequestMessage,
  type Revision,
} from "@toolwire/protocol";
import type { Definition } from "./define/options.ts";
import { findLoneText, LoneText, prepareSignature, type Signature } from "./content/text-result.ts";
import { errorResult } from "./content/tool-result.ts";
import { ToolError, unsupportedRevision } from "./errors.ts";
import { findLegacyEra, loadLegacyEra } from "./legacy/era.ts";
import { negotiate } from "./legacy/methods.ts";
import type { Session } from "./legacy/session.ts";
import { callTool } from "./methods/tools.ts";
import { isModernOnly, MODERN_ROUTES, UNKNOWN_METHOD, type Route } from "./methods/routes.ts";
import { runThrough, type Middleware } from "./middleware/middleware.ts";
import { ServedRequest } from "./request/served-request.ts";
import { isThenable, whenReady } from "./request/thenable.ts";
import { expectSpoken, type Origin } from "./binding.ts";

/** What a result becomes on its way to a modern client. */
interface ModernResult {
  resultType?: string;
  ttlMs?: number;
  cacheScope?: string;
  _meta?: object;
}

const NO_WORK: Exchange = { cancel() {} };

/** Legacy results carry nothing beyond their content. */
const UNSIGNED = prepareSignature();

/** Finds out in which era and revision a request is meant, sends it to its handler, and sees to its one answer. */
export class Dispatcher {
  readonly #definition: Definition;
  readonly #middleware: readonly Middleware[] | undefined;
  /** What every modern tool result carries. */
  readonly #signature: Signature;
  readonly #plainRevision: Revision | undefined;
  readonly #speaksModern: boolean;

  constructor(definition: Definition, middleware: readonly Middleware[]) {
    this.#definition = definition;
    this.#middleware = middleware.length === 0 ? undefined : middleware;
    const { resultMeta } = definition;
    this.#signature = prepareSignature({ resultType: "complete", ...(resultMeta && { _meta: resultMeta }) });
    this.#plainRevision = definition.revisions.find((revision) => eraOf(revision) === "legacy");
    this.#speaksModern = definition.revisions.some((revision) => eraOf(revision) === "modern");
  }

  serve(request: RequestMessage, reply: Reply, origin: Origin, meta: PerRequestMeta | undefined): Exchange {
    let call: ServedRequest;
    try {
      call = this.#identify(request, reply, origin, meta);
    } catch (error) {
      reply.respond(toErrorResponse(request.id, error));
      return NO_WORK;
    }
    const routes = this.#routesOf(call.revision);
    if (routes !== undefined) this.#run(call, routes);
    else {
      loadLegacyEra().then(
        () => call.isOver || this.#run(call, this.#routesOf(call.revision)),
        (error: unknown) => call.fail(error),
      );
    }
    return call;
  }

  #run(call: ServedRequest, routes: ReadonlyMap<string, Route> | undefined): void {
    const route = routes?.get(call.method) ?? UNKNOWN_METHOD;
    let outcome: object | Promise<object>;
    call.enter();
    try {
      outcome =
        this.#middleware === undefined ? route.handle(call, call.params) : this.#wrap(this.#middleware, call, route);
      if (isThenable(outcome)) {
        outcome.then(
          (result) => this.#answer(call, route, result),
          (error: unknown) => this.#fail(call, error),
        );
        return;
      }
    } catch (error) {
      this.#fail(call, error);
      return;
    }
    this.#answer(call, route, outcome);
  }

  /** Reads the era off the request itself: whoever claims to be modern is, the rest is legacy (versioning page). */
  #identify(request: RequestMessage, reply: Reply, origin: Origin, meta: PerRequestMeta | undefined): ServedRequest {
    const { params, method } = request;
    const definition = this.#definition;
    // Whoever has one has it from `openSession`.
    let session = origin.session as Session | undefined;
    let perRequest = meta;
    let revision: Revision | undefined;
    if (meta !== undefined || claimsModernEra(params) || holdsModernMeta(params)) {
      revision = this.#modernRevision(meta?.protocolVersion ?? readProtocolVersion(params));
      perRequest ??= readRequestMeta(params);
      session = undefined;
    } else if (method === "initialize") revision = negotiate(definition, params);
    else if (session?.revision !== undefined) revision = session.revision;
    else {
      session = undefined;
      const { plainRevision } = origin;
      revision = plainRevision === undefined ? this.#plainRevision : expectSpoken(definition, plainRevision);
      // Throws, and says what is missing.
      if (revision === undefined || (isModernOnly(method) && this.#speaksModern)) readRequestMeta(params ?? {});
    }
    return new ServedRequest(definition, request, reply, origin, revision as Revision, perRequest, session);
  }

  #modernRevision(requested: string): Revision {
    const { revisions } = this.#definition;
    const revision = expectSpoken(this.#definition, requested);
    if (eraOf(revision) === "modern") return revision;
    const modern = revisions.filter((spoken) => eraOf(spoken) === "modern");
    throw unsupportedRevision(requested, modern, `To speak ${revision}, open with \`initialize\`.`);
  }

  /** What a revision serves; `undefined` as long as the legacy era is not loaded. */
  #routesOf(revision: Revision): ReadonlyMap<string, Route> | undefined {
    return eraOf(revision) === "modern" ? MODERN_ROUTES : findLegacyEra()?.routesOf(revision);
  }

  /** Middleware sees prepared results as plain objects; one that it hands on unchanged is still sent as prepared. */
  #wrap(middleware: readonly Middleware[], call: ServedRequest, route: Route): object | Promise<object> {
    let prepared: PreparedJson | undefined;
    const isToolCall = route.handle === callTool;
    if (isToolCall) call.tool = this.#definition.tools.find(nameIn(call.params))?.listing;
    const handle = (params: object | undefined): object | Promise<object> => {
      call.expectWanted();
      // What is prepared may have to be loaded first.
      return whenReady(route.handle(call, params), (handled) => {
        if (!(handled instanceof PreparedJson)) return handled;
        prepared = handled;
        return prepared.value;
      });
    };
    const finish = (result: object): object => (result === prepared?.value ? prepared : { ...result });
    const fail = (error: unknown): object => {
      if (isToolCall && error instanceof ToolError) return errorResult(error.message);
      throw error;
    };
    try {
      const outcome = runThrough(middleware, call, call, handle);
      return isThenable(outcome) ? outcome.then(finish, fail) : finish(outcome);
    } catch (error) {
      return fail(error);
    }
  }

  #fail(call: ServedRequest, error: unknown): void {
    call.leave();
    call.fail(error);
  }

  #answer(call: ServedRequest, route: Route, result: object): void {
    call.leave();
    if (result instanceof PreparedJson) return call.succeed(result);
    try {
      const isModern = call.perRequest !== undefined;
      const block = route.handle === callTool ? findLoneText(result) : undefined;
      // One text is the same in every revision.
      if (block !== undefined) return call.succeed(new LoneText(block, isModern ? this.#signature : UNSIGNED));
      if (isModern) this.#sign(result, route);
      call.succeed(route.translate === undefined ? result : route.translate(result));
    } catch (error) {
      call.fail(error);
    }
  }

  /** Puts on a modern result what every modern result carries. Without a hint, nothing may be reused. */
  #sign(result: ModernResult, { isCacheable }: Route): void {
    result.resultType ??= "complete";
    if (isCacheable === true && result.resultType === "complete") {
      result.ttlMs ??= 0;
      result.cacheScope ??= "private";
    }
    const { resultMeta } = this.#definition;
    if (resultMeta !== undefined) {
      result._meta = result._meta === undefined ? resultMeta : { ...resultMeta, ...result._meta };
    }
  }
}

/** The name that a call gives, before anything has been checked. */
function nameIn(params: object | undefined): string {
  const name = (params as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : "";
}

/** Whether a request has metadata that only modern ones have, though it does not say which revision it is written in. */
function holdsModernMeta(params: object | undefined): boolean {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  return isObject(meta) && (MetaKey.ClientCapabilities in meta || MetaKey.ClientInfo in meta);
}
