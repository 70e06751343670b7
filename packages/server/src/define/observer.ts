import type { RequestId, Revision, RpcError } from "@toolwire/protocol";
import type { Origin } from "../origin.ts";
import type { Context } from "./context.ts";
import type { NamedResource } from "./middleware.ts";

/**
 * Sees what a server does, for telemetry: give it to `createServer` as `observe`. `@toolwire/otel` makes one. It cannot change
 * an answer, and costs nothing where there is none. Its functions are called while a request waits, so they must be quick. An
 * error that one of them throws goes to `onDiagnostic`, and the request goes on.
 *
 * Middleware sees less: no refusals of bindings, no questions to clients, no notifications, and not how an answer ended that was
 * cancelled or could not be written.
 *
 * @example
 * ```ts
 * const counts = new Map<string, number>();
 * const server = createServer({
 *   name: "weather",
 *   version: "1.0.0",
 *   observe: {
 *     request({ tool = "none" }) {
 *       counts.set(tool, (counts.get(tool) ?? 0) + 1);
 *     },
 *   },
 * });
 * ```
 */
export interface ServerObserver {
  /** Called for each request, before its middleware. May return what sees the rest of it. */
  request?(request: ObservedRequest): RequestObservation | undefined;
  /** Called for each message that is refused before the server serves it, because of its sender, its form or its time. */
  refusal?(refusal: ObservedRefusal): void;
  /** Called for each request that the server sends to a legacy client. May return what sees its answer. */
  question?(question: ObservedQuestion): QuestionObservation | undefined;
  /** Called for each notification of a client, except cancellations, which bindings handle. */
  notification?(notification: ObservedNotification): void;
  /** Called when a legacy client has opened a session. May return what sees its end in this process. */
  session?(session: ObservedSession): SessionObservation | undefined;
}

/** A request that a {@link ServerObserver} sees. */
export interface ObservedRequest {
  /** The name of the method as the client wrote it. */
  readonly method: string;
  /** Whether the server has this method in the revision of the request. Other names are up to the client. */
  readonly isRouted: boolean;
  /** The parameters as the client sent them, not checked. */
  readonly params: object | undefined;
  readonly context: Context;
  readonly origin: Origin;
  /** The name of the tool that is called, if there is one of that name. */
  readonly tool: string | undefined;
  /** The name of the prompt that is asked for, if there is one of that name. */
  readonly prompt: string | undefined;
  /** The resource that is read or subscribed to, if it is defined. */
  readonly resource: NamedResource | undefined;
}

/** The place of a request in a trace, by which logs and traces find each other. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** Sees one request until it is answered or cancelled. */
export interface RequestObservation {
  /** The place of the request in a trace: diagnostics about the request and entries of `auditLog` name it. */
  readonly trace?: TracePlace | undefined;
  /**
   * Runs middleware and handler, so that they have a context of the observer's, such as that of an `AsyncLocalStorage`: it calls
   * `work` at once.
   */
  run?(work: () => void): void;
  /** Called when a subscription was acknowledged: its stream stays open, maybe for days, and `end` is called at its end. */
  acknowledged?(): void;
  /** Called once, when the request is answered or cancelled. The handler may run on. */
  end(outcome: RequestOutcome): void;
}

/** How a request ended. */
export type RequestOutcome = (
  | {
      readonly kind: "result";
      /** What the handler and middleware returned, before it is translated to the revision of the client. */
      readonly result: object;
    }
  | {
      readonly kind: "error";
      /** The error as the caller gets it, without details that are none of its business. */
      readonly error: RpcError;
    }
  | { readonly kind: "cancelled" }
) & {
  /** Whether a time limit stopped the request, such as that of `timeLimit`. */
  readonly isTimedOut: boolean;
};

/** A message that was refused before it was served. */
export interface ObservedRefusal {
  /** The name of the binding. */
  readonly binding: string;
  /** The status of the HTTP response, if the binding has those. */
  readonly status?: number | undefined;
  /** The code of the JSON-RPC error, if there is one. */
  readonly code?: number | undefined;
}

/** A request that the server sends to a legacy client while it serves one. */
export interface ObservedQuestion {
  readonly method: string;
  readonly params: object | undefined;
  /** The context of the request for which the client is asked. */
  readonly context: Context;
  readonly origin: Origin;
}

/** Sees one question until the client has answered it, or it is given up. */
export interface QuestionObservation {
  /** Further members for the `_meta` of the request, such as a trace context. */
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** Called with the id of the request when it is sent. */
  sent?(id: RequestId): void;
  /** Called once. `error` is why there was no answer. */
  end(outcome: { readonly result: object } | { readonly error: unknown }): void;
}

/** A notification of a client. */
export interface ObservedNotification {
  /** The name of the method as the client wrote it. */
  readonly method: string;
  readonly origin: Origin;
}

/** A session that a legacy client has opened by `initialize`. */
export interface ObservedSession {
  readonly revision: Revision;
  readonly origin: Origin;
}

/** Sees one session. */
export interface SessionObservation {
  /** Called when this process forgets the session: it ended, its connection was lost, or another process serves it. */
  end(): void;
}
