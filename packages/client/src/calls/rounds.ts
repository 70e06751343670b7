import {
  ProtocolViolation,
  TransportError,
  type InputRequiredResult,
  type InputResponses,
  type RetryParams,
  type RpcError,
} from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { Link } from "../connection/link.ts";
import { answerQuestion, answerUnchecked, MAX_QUESTIONS, refusalOf } from "../input/answer.ts";
import type { InputContext, Inputs } from "../input/handlers.ts";
import { inTime, untilAborted, wait } from "../waiting.ts";
import type { Call } from "./call.ts";
import { invalidResult } from "../messages/results.ts";

/** The requests that a modern server may answer with questions (multi round-trip requests, "Supported Requests"). */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** The parts of the client that answer questions of a server. */
export interface RoundOptions {
  readonly inputs: Inputs;
  readonly link: Pick<Link, "over">;
  readonly maxRounds: number;
}

/** One round of questions and answers. */
interface Round {
  readonly inputs: Inputs;
  readonly call: Call;
  /** Aborted when the answers are no longer needed. */
  readonly signal: AbortSignal;
}

/** Plays another round of a call, unless the server has had as many as `maxRounds` allows. */
async function inRound(
  call: Call,
  { inputs, link, maxRounds }: RoundOptions,
  play: (round: Round) => Promise<void>,
): Promise<void> {
  const { options, method } = call;
  if (call.rounds >= maxRounds) {
    const message = `The server asked for more input after ${maxRounds} rounds of ${method}. If that is right, raise \`maxRounds\`.`;
    throw new ProtocolViolation("TOO_MANY_ROUNDS", message);
  }
  call.rounds++;
  await inTime(Infinity, "", [link.over, options.signal], async (signal) => {
    // A call may be cancelled in the same turn in which its result arrives. Then the user is not asked.
    await Promise.resolve();
    signal.throwIfAborted();
    return play({ inputs, call, signal });
  });
}

function contextOf({ call, signal }: Round): InputContext {
  const { method, params, connection } = call;
  return { server: connection.agreement.server, request: { method, params }, signal };
}

/** Waits for people, whose time does not count as time of the call. */
async function waitForPeople<T>({ call, signal }: Round, work: Promise<T>): Promise<T> {
  const start = performance.now();
  const answer = await untilAborted(work, signal);
  call.latest += performance.now() - start;
  return answer;
}

/**
 * Answers the questions in a result, and makes the parameters for sending the request again: the original ones, the answers,
 * and the server's `requestState` exactly as it came.
 */
export function playRound(call: Call, asked: InputRequiredResult, options: RoundOptions): Promise<void> {
  return inRound(call, options, (round) => answerRound(round, asked));
}

/**
 * Answers the questions in an error, which the user has to agree to before the request is sent again. Rejects with the error
 * if there are none, or if the user does not accept all of them.
 */
export function answerErrorQuestions(call: Call, error: RpcError, options: RoundOptions): Promise<void> {
  if (options.inputs.url === undefined) return Promise.reject(error);
  return inRound(call, options, async (round) => {
    const questions = call.connection.agreement.era.questionsIn?.(error) ?? [];
    if (questions.length === 0) throw error;
    for (const question of questions) {
      if (refusalOf(round.inputs, "elicitation/create", question) !== undefined) throw error;
      const asked = answerQuestion(round.inputs, "elicitation/create", question, contextOf(round));
      const answer = await waitForPeople(round, asked);
      if ((answer as { readonly action?: unknown }).action !== "accept") throw error;
    }
  });
}

async function answerRound(round: Round, asked: InputRequiredResult): Promise<void> {
  const { call } = round;
  const { method, params } = call;
  const { inputRequests, requestState }: { inputRequests?: unknown; requestState?: unknown } = asked;
  if (!MAY_ASK.has(method)) {
    throw invalidResult(method, "only tools/call, prompts/get and resources/read may ask for input");
  }
  if (inputRequests === undefined && requestState === undefined) {
    throw invalidResult(method, "an `input_required` result must have `inputRequests` or `requestState`");
  }
  if (requestState !== undefined && typeof requestState !== "string") {
    throw invalidResult(method, "`requestState` must be a string");
  }
  const inputResponses = inputRequests === undefined ? undefined : await answerAll(inputRequests, round);
  // A server that asks nothing wants more time. The first retry comes at once: the next instance may know the answer.
  if (inputResponses === undefined && call.rounds > 1) {
    await wait(Math.min(50 * 2 ** call.rounds, 5_000, call.timeLeft.maxTimeout ?? 5_000), round.signal);
    if (call.isOverdue) {
      const message = `No answer to ${method} in time: the server asked for more time again and again. Raise \`maxTimeout\` to allow that.`;
      throw new TransportError("TIMEOUT", message);
    }
  }
  // A caller of `request()` may have begun with answers and state of an earlier round.
  const { inputResponses: _answers, requestState: _notes, ...original } = (params ?? {}) as RetryParams;
  call.sent = {
    ...original,
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** Answers all questions at once. If one cannot be answered, the others are not needed any more. */
async function answerAll(questions: unknown, round: Round): Promise<InputResponses> {
  const { inputs, call } = round;
  if (!isObject(questions)) throw invalidResult(call.method, "`inputRequests` must be an object");
  const entries = Object.entries(questions);
  if (entries.length > MAX_QUESTIONS) {
    throw invalidResult(call.method, `no more than ${MAX_QUESTIONS} questions at once`);
  }
  const context = contextOf(round);
  const answers = entries.map(async ([key, question]) => {
    const complain = (problem: string): Error => invalidResult(call.method, `\`inputRequests.${key}\` ${problem}`);
    return [key, await answerUnchecked(inputs, question, context, complain)];
  });
  return Object.fromEntries(await waitForPeople(round, Promise.all(answers))) as InputResponses;
}
