import {
  type CreateMessageResult,
  type ElicitResult,
  ErrorCode,
  type RequestMessage,
  type Revision,
  RpcError,
  toErrorResponse,
} from "@toolwire/protocol";
import { createMessageResultRewrite, elicitResultRewrite, servesMethod } from "@toolwire/protocol/internal";
import type { ServerRequest } from "../eras/era.ts";
import { answerQuestion, MAX_QUESTIONS, refusalOf } from "../input/answer.ts";
import { follow, untilAborted } from "../waiting.ts";

/** How often the time limits of calls are reset while a server waits for an answer. */
const TOUCH_INTERVAL_MS = 100;

/** Answers a request of a legacy server. Before there is an agreement, it may only ping. */
export async function answerRequest(asked: ServerRequest): Promise<void> {
  const { request, reply, behalf, caller, stop, over, diagnose } = asked;
  const { id, method } = request;
  const { signal } = stop;
  // A closed client asks its user nothing more, though closing takes a while and the rest of a batch is still read.
  const unfollow = follow(over, stop);
  // While the server waits for the user, the call for which it asks cannot make progress. If the transport does not tell which
  // call that is, it is one of those under way now.
  const waiting = caller.pendingCalls().filter((call) => behalf === undefined || call.request.id === behalf.id);
  const touchAll = (): void => {
    for (const call of waiting) call.touch();
  };
  const timer = setInterval(touchAll, TOUCH_INTERVAL_MS);
  try {
    signal.throwIfAborted();
    const result = method === "ping" ? {} : await answer(asked, signal);
    reply.respond({ jsonrpc: "2.0", id, result });
  } catch (error) {
    if (signal.aborted) {
      // The words of a server are untrusted: they are quoted and cut.
      const reason = JSON.stringify((signal.reason as Error).message.slice(0, 200));
      diagnose({ level: "debug", message: `${method} was cancelled: ${reason}.` });
      return;
    }
    if (!(error instanceof RpcError)) {
      // A handler can throw any value, also `undefined`.
      const message = `The handler for ${method} failed: ${String(error)}`;
      diagnose({ level: isInputRequired(error) ? "debug" : "error", message, error });
    }
    reply.respond(toErrorResponse(id, error));
  } finally {
    unfollow?.();
    clearInterval(timer);
    touchAll();
  }
}

/**
 * Whether a handler was interrupted to be called again: a handler that passes a question on to a modern client throws
 * `InputRequired` of `@toolwire/server`. It is recognised by its name, because the client does not depend on the server.
 */
function isInputRequired(error: unknown): boolean {
  return (Object(error) as Partial<Error>).name === "InputRequired";
}

async function answer({ agreement, request, behalf, inputs }: ServerRequest, signal: AbortSignal): Promise<object> {
  const { method, params } = request;
  if (agreement === undefined || !servesMethod(agreement.revision, method, "server-to-client")) {
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }
  if (inputs.openRequests >= MAX_QUESTIONS) {
    throw new RpcError(ErrorCode.InternalError, `No more than ${MAX_QUESTIONS} questions at once.`);
  }
  const refusal = refusalOf(inputs, method, params);
  if (refusal !== undefined) throw refusal;
  const { revision, server } = agreement;
  inputs.openRequests++;
  try {
    const context = { server, request: behalf && contextOf(behalf), signal };
    return translate(revision, method, await untilAborted(answerQuestion(inputs, method, params, context), signal));
  } finally {
    inputs.openRequests--;
  }
}

function contextOf({ method, params }: RequestMessage): { method: string; params: object | undefined } {
  return { method, params };
}

/** Translates an answer to what the revision can express. */
function translate(revision: Revision, method: string, answered: object): object {
  if (method === "elicitation/create") return elicitResultRewrite(revision)?.(answered as ElicitResult) ?? answered;
  if (method === "sampling/createMessage") {
    return createMessageResultRewrite(revision)?.(answered as CreateMessageResult) ?? answered;
  }
  return answered;
}
