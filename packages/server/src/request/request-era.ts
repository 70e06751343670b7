/** The part of an era that a request needs, and the route of its method. */
import type { Era as EraName, Revision } from "@toolwire/protocol";
import type { PerRequestMeta } from "@toolwire/protocol/internal";
import type { Questions } from "../input/questions.ts";
import type { ServedRequest } from "./served-request.ts";

/** The facts that an era reads off a request once: revision, client, progress token and log level. */
export interface Identity extends PerRequestMeta {
  /** The revision that the request is served in. */
  readonly protocolVersion: Revision;
}

/** The part of an era that is needed while a request is served. */
export interface RequestEra {
  readonly name: EraName;
  /** Whether tool calls repeat arguments in headers where the transport has headers (`x-mcp-header`). */
  readonly hasParamHeaders: boolean;
  /** Whether servers send requests to their clients. */
  readonly sendsRequests: boolean;
  /** Makes the way in which this request asks its client. */
  createQuestions(request: ServedRequest): Questions;
  /** Completes and translates the result of a handler for the client. May change the result in place. */
  finish(result: object, request: ServedRequest): object;
  /** Completes a result that was not made by the handler of its method, so that no translation fits it. */
  finishEarly(result: object, request: ServedRequest): object;
  /** Translates the parameters of a notification to a revision. */
  translateNotification(revision: Revision, method: "notifications/progress", params: object): object;
  /** The number that this era uses for an error code. */
  codeOf(code: number): number;
}

/** Answers the requests of one method. Returns a fresh object, or one that is prepared. */
export type Handler = (request: ServedRequest, params: object | undefined) => object | Promise<object>;

/** How requests of one method are answered in one revision. */
export interface Route {
  readonly handle: Handler;
  /** Whether the method is `tools/call`, whose result is often a single text. */
  readonly isToolCall: boolean;
  /** Whether results say how long they stay fresh, in eras that have cache hints. */
  readonly isCacheable: boolean;
  /** Translates a result to the revision. */
  readonly translate?: ((result: object) => object) | undefined;
}
