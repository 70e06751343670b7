import { isObject } from "@toolwire/protocol/internal";
import {
  ProtocolViolation,
  TransportError,
  type InputRequiredResult,
  type InputResponses,
  type RetryParams,
} from "@toolwire/protocol";
import type { Link } from "../connection/link.ts";
import { answerQuestion, refusalOf } from "../input/answer.ts";
import type { InputContext, Inputs } from "../input/handlers.ts";
import { inTime, untilAborted, wait } from "../waiting.ts";
import type { Call } from "./call.ts";
import { invalidResult } from "./results.ts";

/** The requests that a modern server may answer with questions (multi round-trip requests, "Supported Requests"). */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** How many things a server may ask at once; more would be no question to a person. */
export const MAX_QUESTIONS = 100;

/** What it takes to answer on behalf of calls. */
export interface RoundOptions {
  readonly inputs: Inputs;
  readonly link: Pick<Link, "over">;
  readonly maxRounds: number;
}

/** One round of questions and answers. */
interface Round {
  readonly inputs: Inputs;
  readonly call: Call;
  /** Aborted when nobody needs the answers any more. */
  readonly signal: AbortSignal;
}

/** Plays another round of a call, unless the server has had as many as there may be. */
export async function inRound(
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
  await inTime(Infinity, "", [link.over, options.signal], (signal) => {
    // The caller may have thought better of it while this was loaded: then nobody is bothered.
    signal.throwIfAborted();
    return play({ inputs, call, signal });
  });
}

/** Who asks, on behalf of what, and until when. */
export function contextOf({ call, signal }: Round): InputContext {
  const { method, params, connection } = call;
  return { server: connection.agreement.server, request: { method, params }, signal };
}

/** Waits for people. Their time is their own, and does not count as the call's. */
export async function waitForPeople<T>({ call, signal }: Round, work: Promise<T>): Promise<T> {
  const start = performance.now();
  const answer = await untilAborted(work, signal);
  call.latest += performance.now() - start;
  return answer;
}

/**
 * Finds out what a server asks, and makes the parameters to send the request again with: the original ones, the answers,
 * and the server's notes exactly as they came.
 */
export function playRound(call: Call, asked: InputRequiredResult, options: RoundOptions): Promise<void> {
  return inRound(call, options, (round) => answerRound(round, asked));
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
  // A server that asks nothing wants more time. The first time it gets none, as it may just have moved house.
  if (inputResponses === undefined && call.rounds > 1) {
    await wait(Math.min(50 * 2 ** call.rounds, 5_000, call.timeLeft.maxTimeout ?? 5_000), round.signal);
    if (call.latest !== undefined && performance.now() >= call.latest) {
      const message = `No answer to ${method} in time: its server wants more and more. Raise \`maxTimeout\` to give it some.`;
      throw new TransportError("TIMEOUT", message);
    }
  }
  // Whoever uses `request()` may have begun with answers and notes of an earlier round, which is over.
  const { inputResponses: _answers, requestState: _notes, ...original } = (params ?? {}) as RetryParams;
  call.sent = {
    ...original,
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** Answers all questions at once. If one cannot be answered, nobody needs the others any more. */
async function answerAll(questions: unknown, round: Round): Promise<InputResponses> {
  const { inputs, call } = round;
  if (!isObject(questions)) throw invalidResult(call.method, "`inputRequests` must be an object");
  const entries = Object.entries(questions);
  if (entries.length > MAX_QUESTIONS) {
    throw invalidResult(call.method, `no more than ${MAX_QUESTIONS} questions at once`);
  }
  const context = contextOf(round);
  const answers = entries.map(async ([key, question]) => [key, await answerOne(inputs, key, question, context)]);
  return Object.fromEntries(await waitForPeople(round, Promise.all(answers))) as InputResponses;
}

async function answerOne(inputs: Inputs, key: string, question: unknown, context: InputContext): Promise<object> {
  const complain = (problem: string): Error =>
    invalidResult(context.request?.method ?? "", `\`inputRequests.${key}\` ${problem}`);
  if (!isObject(question) || typeof question["method"] !== "string") throw complain("must have a `method`");
  const { method, params } = question;
  if (params !== undefined && !isObject(params)) throw complain("must have an object as `params`");
  const refusal = refusalOf(inputs, method, params);
  if (refusal !== undefined) throw complain(`cannot be answered: ${refusal.message}`);
  return answerQuestion(inputs, method, params, context);
}
