import {
  ErrorCode,
  RpcError,
  toErrorResponse,
  type Exchange,
  type Implementation,
  type NotificationMessage,
  type RequestMessage,
  type Revision,
} from "@toolwire/protocol";
import { PreparedJson } from "@toolwire/protocol/internal";
import type { ServerBinding, TextSeal } from "./binding.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { errorResult } from "./content/tool-result.ts";
import type { ServerMiddleware } from "./define/middleware.ts";
import type { ObservedRefusal } from "./define/observer.ts";
import type { ServerDiagnostic } from "./diagnostics.ts";
import type { Era } from "./eras/era.ts";
import { ToolError } from "./errors.ts";
import { canonicalJson, StateSeal } from "./input/seal.ts";
import { UNKNOWN_METHOD } from "./methods/routes.ts";
import type { ConnectionLink, Origin, ServerConnection, ServerReply } from "./origin.ts";
import type { Definition } from "./registry/definition.ts";
import type { Identity } from "./request/request-era.ts";
import { runMiddleware } from "./request/run-middleware.ts";
import { SeenRequest } from "./request/seen-request.ts";
import { ServedRequest } from "./request/served-request.ts";
import { isThenable, whenReady } from "./request/thenable.ts";

const NO_WORK: Exchange = { cancel() {} };

/** The state of a connection of which no era keeps any. */
const STATELESS: ServerConnection = { revision: undefined, close() {} };

/** Takes each request through identify, route, middleware, handler, finish and respond. */
export class Dispatcher implements ServerBinding {
  readonly revisions: readonly Revision[];
  readonly #definition: Definition;
  readonly #eras: readonly [Era, ...Era[]];

  /** Requests that no era claims belong to the first one. */
  constructor(definition: Definition, eras: readonly [Era, ...Era[]]) {
    this.revisions = definition.revisions;
    this.#definition = definition;
    this.#eras = eras;
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
    const route = era.routes(identity.protocolVersion).get(message.method) ?? UNKNOWN_METHOD;
    const request = new ServedRequest(this.#definition, message, reply, origin, era, identity, route);
    const { observer } = this.#definition;
    const observation = observer?.request(new SeenRequest(request, route !== UNKNOWN_METHOD));
    if (observation === undefined) this.#run(request);
    else {
      request.observation = observation;
      observation.run(() => this.#run(request));
    }
    return request;
  }

  hear(message: NotificationMessage, origin: Origin): void {
    this.#definition.observer?.notification({ method: message.method, origin });
    for (const era of this.#eras) era.hear?.(message, origin);
  }

  get info(): Implementation {
    return this.#definition.info;
  }

  openConnection(link: ConnectionLink): ServerConnection {
    for (const era of this.#eras) {
      if (era.openConnection !== undefined) return era.openConnection(link, this.#definition);
    }
    return STATELESS;
  }

  attachCluster(cluster: Cluster): () => Promise<void> {
    return this.#definition.cluster.attach(cluster);
  }

  createSeal(purpose: string, lifetimeMs: number): TextSeal | undefined {
    const keys = this.#definition.listStateKeys();
    if (keys.length === 0) return undefined;
    const seal = new StateSeal(keys, lifetimeMs);
    const { name } = this.#definition.info;
    const contextOf = (caller: string | undefined): string => canonicalJson([purpose, name, caller ?? null]);
    return {
      seal: (value, caller) => seal.seal(value, contextOf(caller)),
      open: (text, caller) => seal.open(text, contextOf(caller)),
    };
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
  if (result instanceof PreparedJson) return request.succeed(result);
  try {
    request.succeed(request.finish(result), result);
  } catch (error) {
    request.fail(error);
  }
}

function fail(request: ServedRequest, error: unknown): void {
  request.leave();
  request.fail(error);
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
