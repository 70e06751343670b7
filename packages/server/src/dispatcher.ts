import {
  ErrorCode,
  RpcError,
  toErrorResponse,
  type CallToolResult,
  type Exchange,
  type NotificationMessage,
  type RequestMessage,
  type Revision,
} from "@toolwire/protocol";
import { PreparedJson } from "@toolwire/protocol/internal";
import type { ServerBinding, TextSeal } from "./binding.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { errorResult } from "./content/tool-result.ts";
import type { StoredCall } from "./define/extension-host.ts";
import type { ServerMiddleware } from "./define/middleware.ts";
import type { ObservedRefusal } from "./define/observer.ts";
import type { CallOutcome, DetachedCall, DetachedRun } from "./define/tool-hooks.ts";
import type { ServerDiagnostic } from "./diagnostics.ts";
import type { Era } from "./eras/era.ts";
import { ToolError } from "./errors.ts";
import { createExtensionHost, tellExtension } from "./extension-hosts.ts";
import { RunningExtensions } from "./extensions/running-extensions.ts";
import { createTextSeal } from "./input/text-seal.ts";
import { findAddedRoute } from "./methods/added-methods.ts";
import { UNKNOWN_METHOD } from "./methods/routes.ts";
import type { ConnectionLink, Origin, ServerConnection, ServerReply } from "./origin.ts";
import type { Definition } from "./registry/definition.ts";
import { explainError } from "./request/errors.ts";
import type { Identity, Route } from "./request/request-era.ts";
import { runMiddleware } from "./request/run-middleware.ts";
import { SeenRequest } from "./request/seen-request.ts";
import { ServedRequest } from "./request/served-request.ts";
import { isThenable, whenReady } from "./request/thenable.ts";

const NO_WORK: Exchange = { cancel() {} };

/** The reply to a call of which nobody waits for the answer. */
const NOBODY: ServerReply = { respond() {}, notify() {} };

/** The state of a connection of which no era keeps any. */
const STATELESS: ServerConnection = { revision: undefined, close() {} };

/** Takes each request through identify, route, middleware, handler, finish and respond. */
export class Dispatcher implements ServerBinding {
  readonly revisions: readonly Revision[];
  readonly #definition: Definition;
  readonly #eras: readonly [Era, ...Era[]];
  readonly #running: RunningExtensions;

  /** Requests that no era claims belong to the first one. */
  constructor(definition: Definition, eras: readonly [Era, ...Era[]]) {
    this.revisions = definition.revisions;
    this.#definition = definition;
    this.#eras = eras;
    const { all = [] } = definition.extensions ?? {};
    this.#running = new RunningExtensions(
      all,
      (extension) => createExtensionHost(extension, definition, (stored, run) => this.#callDetached(stored, run)),
      (event) => this.diagnose(event),
    );
  }

  serve(message: RequestMessage, reply: ServerReply, origin: Origin): Exchange {
    const era = this.#eraOf(message, origin);
    let identity: Identity;
    try {
      identity = era.identify(message, origin, this.#definition);
    } catch (error) {
      this.#definition.observer?.refusal({ binding: origin.binding, code: codeOf(error) });
      if (error instanceof RpcError && reply.rejectRequest !== undefined) reply.rejectRequest(error);
      else reply.respond(toErrorResponse(message.id, error));
      return NO_WORK;
    }
    const request = new ServedRequest(
      this.#definition,
      message,
      reply,
      origin,
      era,
      identity,
      this.#routeOf(era, identity.protocolVersion, message.method),
    );
    this.#begin(request);
    return request;
  }

  #routeOf(era: Era, revision: Revision, method: string): Route {
    const route = era.routes(revision).get(method);
    return route ?? findAddedRoute(this.#definition, revision, method) ?? UNKNOWN_METHOD;
  }

  #begin(request: ServedRequest): void {
    const { observer } = this.#definition;
    const observation = observer?.request(new SeenRequest(request, request.route !== UNKNOWN_METHOD));
    if (observation === undefined) this.#run(request);
    else {
      request.observation = observation;
      observation.run(() => this.#run(request));
    }
  }

  hear(message: NotificationMessage, origin: Origin): void {
    this.#definition.observer?.notification({ method: message.method, origin });
    for (const era of this.#eras) era.hear?.(message, origin);
    tellExtension(this.#definition, this.#eras, message, origin);
  }

  openConnection(link: ConnectionLink): ServerConnection {
    for (const era of this.#eras) {
      if (era.openConnection !== undefined) return era.openConnection(link, this.#definition);
    }
    return STATELESS;
  }

  open(cluster: Cluster | undefined): () => Promise<void> {
    const detach = cluster && this.#definition.cluster.attach(cluster);
    try {
      const end = this.#running.open();
      return async () => {
        // Extensions may still announce something.
        await end();
        await detach?.();
      };
    } catch (error) {
      void detach?.();
      throw error;
    }
  }

  /** Calls a tool for a client that does not wait. */
  #callDetached({ params, revision, principal, isLocal, ...client }: StoredCall, run: DetachedRun): DetachedCall {
    const era = this.#eras.find(({ revisions }) => revisions.includes(revision)) ?? this.#eras[0];
    const identity = { protocolVersion: revision, logLevel: undefined, progressToken: undefined, ...client };
    const message = { jsonrpc: "2.0", id: crypto.randomUUID(), method: "tools/call", params } as const;
    const origin: Origin = { binding: "detached", connection: {}, principal, isLocal };
    const route = this.#routeOf(era, revision, message.method);
    const request = new ServedRequest(this.#definition, message, NOBODY, origin, era, identity, route);
    request.detach(run);
    // Later, so that the extension has the call before its outcome.
    queueMicrotask(() => this.#begin(request));
    return { abort: (reason) => request.abort(reason) };
  }

  createSeal(purpose: string, lifetimeMs: number): TextSeal | undefined {
    return createTextSeal(this.#definition, purpose, lifetimeMs);
  }

  endSubscriptions(connection?: object): void {
    this.#definition.subscriptions.end(connection);
  }

  diagnose(event: ServerDiagnostic): void {
    this.#definition.diagnose(event);
  }

  refused(refusal: ObservedRefusal): void {
    this.#definition.observer?.refusal(refusal);
  }

  #eraOf(message: RequestMessage, origin: Origin): Era {
    for (const era of this.#eras) if (era.claims(message, origin, this.#definition)) return era;
    return this.#eras[0];
  }

  /** Runs middleware and handler. Results that need not be awaited cost no promise. */
  #run(request: ServedRequest): void {
    const { middleware } = this.#definition;
    const { handle } = request.route;
    request.enter();
    let outcome: object | Promise<object>;
    try {
      outcome = middleware === undefined ? handle(request, request.params) : runAround(middleware, request);
      if (isThenable(outcome)) {
        outcome.then(
          (result) => respond(request, result),
          (error: unknown) => fail(request, error),
        );
        return;
      }
    } catch (error) {
      fail(request, error);
      return;
    }
    respond(request, outcome);
  }
}

/** Middleware sees prepared results as plain objects. One that it returns unchanged is still sent as prepared. */
function runAround(middleware: readonly ServerMiddleware[], request: ServedRequest): object | Promise<object> {
  const { route, definition } = request;
  let prepared: PreparedJson | undefined;
  if (route.isToolCall) request.tool = definition.tools.find(nameIn(request.params))?.listing;
  const handle = (params: object | undefined): object | Promise<object> => {
    request.expectWanted();
    return whenReady(route.handle(request, params), (handled) => {
      if (!(handled instanceof PreparedJson)) return handled;
      prepared = handled;
      return prepared.value;
    });
  };
  const settle = (result: object): object => (result === prepared?.value ? prepared : { ...result });
  const refuse = (error: unknown): object => {
    if (route.isToolCall && error instanceof ToolError) return errorResult(error.message);
    throw error;
  };
  try {
    const outcome = runMiddleware(middleware, request, undefined, handle);
    return isThenable(outcome) ? outcome.then(settle, refuse) : settle(outcome);
  } catch (error) {
    return refuse(error);
  }
}

/** Sends the result of a request as its era writes it. */
function respond(request: ServedRequest, result: object): void {
  request.leave();
  if (request.run !== undefined) return request.endRun(() => outcomeOf(result));
  if (result instanceof PreparedJson) return request.succeed(result);
  try {
    request.succeed(request.finish(result), result);
  } catch (error) {
    request.fail(error);
  }
}

function fail(request: ServedRequest, error: unknown): void {
  request.leave();
  if (request.run !== undefined) {
    return request.endRun(() => ({ kind: "error", error: explainError(request, error) }));
  }
  request.fail(error);
}

/** What a call has come to that goes on after its answer. A result that asks for input ends a run, not the call. */
function outcomeOf(result: object): CallOutcome {
  if ((result as { readonly resultType?: unknown }).resultType === "input_required") return { kind: "suspended" };
  return { kind: "result", result: result as CallToolResult };
}

/** The code of the error that a client gets for this one. */
function codeOf(error: unknown): number {
  return error instanceof RpcError ? error.code : ErrorCode.InternalError;
}

/** The name in the parameters of a request, which have not been checked yet. */
function nameIn(params: object | undefined): string {
  const name = (params as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? name : "";
}
