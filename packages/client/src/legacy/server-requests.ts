import { createMessageResultRewrite, elicitResultRewrite, isObject, servesMethod } from "@toolwire/protocol/internal";
import {
  type CreateMessageResult,
  type ElicitResult,
  ErrorCode,
  type Reply,
  type RequestMessage,
  type Revision,
  RpcError,
  toErrorResponse,
} from "@toolwire/protocol";
import type { Call } from "../calls/call.ts";
import { contextOf, inRound, MAX_QUESTIONS, type RoundOptions, waitForPeople } from "../calls/rounds.ts";
import { answerQuestion, refusalOf } from "../input/answer.ts";
import type { Wire } from "../connection/wire.ts";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { Inputs } from "../input/handlers.ts";
import type { Agreement } from "../connection/agreement.ts";
import { follow, untilAborted } from "../waiting.ts";

/**
 * Sends the user to each page that a `URLElicitationRequiredError` (2025-11-25 only) wants visited before the request is
 * sent again. Rejects with that error unless they agree to all of them.
 */
export function visitPages(call: Call, error: RpcError, options: RoundOptions): Promise<void> {
  return inRound(call, options, async (round) => {
    const pages = isObject(error.data) ? error.data["elicitations"] : undefined;
    if (!Array.isArray(pages) || pages.length === 0) throw error;
    for (const page of pages as readonly unknown[]) {
      const question = { ...(page as object), mode: "url" };
      if (refusalOf(round.inputs, "elicitation/create", question) !== undefined) throw error;
      const asked = answerQuestion(round.inputs, "elicitation/create", question, contextOf(round));
      const answer = await waitForPeople(round, asked);
      if ((answer as { readonly action?: unknown }).action !== "accept") throw error;
    }
  });
}

/** How often calls are given their time anew while a server waits for an answer. */
const PATIENCE_MS = 100;

/** Answers a request that a server pushes, as legacy servers may. Before there is an agreement, they may only ping. */
export async function answerPush(
  { agreement, caller }: Wire,
  request: RequestMessage,
  reply: Reply,
  behalf: RequestMessage | undefined,
  inputs: Inputs,
  stop: AbortController,
  over: AbortSignal,
  diagnose: DiagnosticListener,
): Promise<void> {
  const { id, method } = request;
  const { signal } = stop;
  // Whoever has closed the client is asked nothing more: a goodbye takes a while, and a batch is heard to its end.
  const forget = follow(over, stop);
  // The server waits for the user, so that the call it asks for cannot be expected to make progress. Where nothing tells
  // which one that is, it is one of those under way: what is called from now on has no part in it.
  const waiting = caller.underWay().filter((call) => behalf === undefined || call.request.id === behalf.id);
  const touchAll = (): void => {
    for (const call of waiting) call.touch();
  };
  const patience = setInterval(touchAll, PATIENCE_MS);
  try {
    // The server may have thought better of it while this was loaded: then nobody is bothered.
    signal.throwIfAborted();
    const result = method === "ping" ? {} : await answerInEra(agreement, request, behalf, inputs, signal);
    reply.respond({ jsonrpc: "2.0", id, result });
  } catch (error) {
    if (signal.aborted) {
      // The server's words are untrusted: quoted, and cut.
      const reason = JSON.stringify((signal.reason as Error).message.slice(0, 200));
      diagnose({ level: "debug", message: `${method} was cancelled: ${reason}.` });
      return;
    }
    if (!(error instanceof RpcError)) {
      // Anything can be thrown, and nothing as well: `Promise.reject()`.
      const words = String(error);
      const message = `The handler for ${method} failed: ${words}`;
      diagnose({ level: isWayOut(error) ? "debug" : "error", message, error });
    }
    reply.respond(toErrorResponse(id, error));
  } finally {
    forget?.();
    clearInterval(patience);
    touchAll();
  }
}

/**
 * Whether a handler has only left to come back: one that passes a question on to a modern client does so by `InputRequired`
 * of `@toolwire/server`, and is called again with the answer. By name, as a client has no server in it.
 */
function isWayOut(error: unknown): boolean {
  return (Object(error) as Partial<Error>).name === "InputRequired";
}

async function answerInEra(
  agreement: Agreement | undefined,
  { method, params }: RequestMessage,
  behalf: RequestMessage | undefined,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<object> {
  if (agreement === undefined || !servesMethod(agreement.revision, method, "server-to-client")) {
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }
  if (inputs.openPushes >= MAX_QUESTIONS) {
    const message = `No more than ${MAX_QUESTIONS} questions at once.`;
    throw new RpcError(ErrorCode.InternalError, message);
  }
  const refusal = refusalOf(inputs, method, params);
  if (refusal !== undefined) throw refusal;
  const { revision, server } = agreement;
  inputs.openPushes++;
  try {
    const request = behalf && { method: behalf.method, params: behalf.params };
    const asked = answerQuestion(inputs, method, params, { server, request, signal });
    return inWordsOf(revision, method, await untilAborted(asked, signal));
  } finally {
    inputs.openPushes--;
  }
}

/** The answer as the revision can express it. */
function inWordsOf(revision: Revision, method: string, answer: object): object {
  if (method === "elicitation/create") return elicitResultRewrite(revision)?.(answer as ElicitResult) ?? answer;
  if (method === "sampling/createMessage") {
    return createMessageResultRewrite(revision)?.(answer as CreateMessageResult) ?? answer;
  }
  return answer;
}
