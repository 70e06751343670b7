import { isObject, restoreElicitResult, translateRequest } from "@toolwire/protocol/internal";
import {
  ProtocolViolation,
  RpcError,
  TransportError,
  UsageError,
  type ElicitParams,
  type ElicitResult,
  type InputRequest,
  type RequestMethod,
  type Revision,
} from "@toolwire/protocol";
import type { Awaitable } from "../definition/tool.ts";
import { ToolError } from "../errors.ts";
import { Keys, Memo, type Questions, type Reading } from "../input/questions.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { Asker, type Way } from "./asker.ts";

/** Questions of the legacy era: requests that are sent to the client while its own request waits. */
export class PushedQuestions implements Questions {
  readonly #call: ServedRequest;
  readonly #keys = new Keys();
  readonly #memo = new Memo();
  readonly #answered = new AbortController();

  constructor(call: ServedRequest) {
    this.#call = call;
  }

  async ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T> {
    this.#keys.claim(key);
    const { session, revision, reply } = this.#call;
    // Only a session declares capabilities, without which nothing is asked.
    if (session === undefined) throw new UsageError("INVALID_STATE", "A plain request has no client to ask.");
    const { method, params } = request;
    const translated = translateRequest(revision, method as RequestMethod, params as never) as object | undefined;
    // Through the stream of the request being served, where there is one.
    const way = [reply, session.link].find(canExchange);
    if (way === undefined) throw new ToolError("This connection cannot carry questions to the client.");
    session.asker ??= new Asker(session);
    const answer = await session.asker
      .ask(method, translated, this.#call, way, this.#answered.signal)
      .catch(explainFailure(method));
    const restored = request.method === "elicitation/create" ? restoreForm(revision, request.params, answer) : answer;
    const reading = await read(restored);
    if (reading.ok) return reading.value;
    throw new ToolError(`The client's answer to ${method} does not fit: ${reading.problem}`);
  }

  once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    return this.#memo.run(key, work);
  }

  interim(): undefined {
    return undefined;
  }

  end(): void {
    this.#answered.abort(new TransportError("CLOSED", "The call was answered before the client has answered."));
  }

  /** Legacy clients never call again with answers; what they send under these names means nothing here. */
  async resume(): Promise<void> {}
}

/** Whether requests can be sent this way. */
function canExchange<T extends Partial<Way>>(way: T): way is T & Way {
  return way.exchange !== undefined;
}

/**
 * A client that answers with an error, by breaking the rules, or not at all, has not answered; its error is not the answer
 * to its own request.
 */
function explainFailure(method: string): (error: unknown) => never {
  return (cause) => {
    if (cause instanceof RpcError || cause instanceof ProtocolViolation) {
      throw new ToolError(`The client did not answer ${method}: ${cause.message}`, { cause });
    }
    if (cause instanceof TransportError) throw new ToolError(`The client did not answer ${method}.`, { cause });
    throw cause as Error;
  };
}

function restoreForm(revision: Revision, params: ElicitParams, answer: object): object {
  const isFilledIn = "content" in answer && isObject(answer.content);
  return isFilledIn ? restoreElicitResult(revision, params, answer as ElicitResult) : answer;
}
