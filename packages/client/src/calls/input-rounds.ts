import { isObject, type InputRequiredResult, type InputResponses } from "@toolwire/protocol";
import { answerQuestion, refusalOf } from "../inputs/answer.ts";
import type { InputContext } from "../inputs/handlers.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { untilAborted, wait } from "../waiting.ts";
import { invalidResult } from "./results.ts";

/** The requests that a modern server may answer with questions (multi round-trip requests, "Supported Requests"). */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** How many things a server may ask at once; more would be no question to a person. */
const MAX_QUESTIONS = 100;

/** One round of questions and answers. */
export interface Round {
  readonly method: string;
  /** The parameters of the request as it was first sent. */
  readonly params: object | undefined;
  readonly asked: InputRequiredResult;
  /** Counts from 1. */
  readonly number: number;
  readonly server: InputContext["server"];
  readonly signal: AbortSignal | undefined;
}

/**
 * Finds out what a server asks, and returns the parameters to send the request again with: the original ones, the answers,
 * and the server's notes exactly as they came.
 */
export async function answerRound(inputs: Inputs, round: Round): Promise<object> {
  const { method, params, asked, number, signal } = round;
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
  const inputResponses = inputRequests === undefined ? undefined : await answerAll(inputs, inputRequests, round);
  // A server that asks nothing wants more time. The first time it gets none, as it may just have moved house.
  if (inputResponses === undefined && number > 1) await wait(Math.min(50 * 2 ** number, 5_000), signal);
  return {
    ...params,
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** Answers all questions at once. If one cannot be answered, nobody needs the others any more. */
async function answerAll(inputs: Inputs, questions: unknown, round: Round): Promise<InputResponses> {
  const { method, params, server, signal } = round;
  if (!isObject(questions)) throw invalidResult(method, "`inputRequests` must be an object");
  const entries = Object.entries(questions);
  if (entries.length > MAX_QUESTIONS) {
    throw invalidResult(method, `${entries.length} questions at once are more than the ${MAX_QUESTIONS} allowed`);
  }
  const stop = new AbortController();
  const context: InputContext = {
    server,
    request: { method, params },
    signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
  };
  try {
    const answers = entries.map(async ([key, question]) => [key, await answerOne(inputs, key, question, context)]);
    return Object.fromEntries(await untilAborted(Promise.all(answers), signal)) as InputResponses;
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

async function answerOne(inputs: Inputs, key: string, question: unknown, context: InputContext): Promise<object> {
  const complain = (problem: string): Error =>
    invalidResult(context.request?.method ?? "", `\`inputRequests.${key}\` ${problem}`);
  if (!isObject(question) || typeof question["method"] !== "string") throw complain("must have a `method`");
  const { method, params } = question;
  if (params !== undefined && !isObject(params)) throw complain("must have an object as `params`");
  const refusal = refusalOf(inputs.handlers, method, params);
  if (refusal !== undefined) throw complain(`cannot be answered: ${refusal.message}`);
  return answerQuestion(inputs, method, params, context);
}
