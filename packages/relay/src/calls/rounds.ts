import type { Client } from "@toolwire/client";
import type { InputRequiredResult } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { ToolError, type ClientCapabilities, type Context } from "@toolwire/server";
import { askCaller } from "../questions/ask-caller.ts";
import { hashText } from "../text/hash.ts";
import { followTask } from "./follow-task.ts";
import { isTask, readTaskId } from "./read-task.ts";
import { send } from "./send.ts";
import type { CallTarget, RelayedRequest } from "./target.ts";

/** How often an upstream may ask for input during one request. */
const MAX_ROUNDS = 10;

/** How many questions it may ask at once. */
const MAX_QUESTIONS = 100;

/** The longest key of a question that is used as it is. */
const MAX_KEY = 100;

/**
 * Sends a request to a modern server, which asks by an interim result. The result of each round is remembered with `once`: if the
 * caller is modern, too, and the run ends with a question, then the next run goes on where this one has ended, and nothing is done
 * twice behind us.
 */
export async function sendInRounds(
  target: CallTarget,
  client: Client,
  capabilities: ClientCapabilities,
  request: RelayedRequest,
): Promise<object> {
  const { params, ctx, known } = request;
  const way = { client, isLeased: false, capabilities };
  let answers: object | undefined;
  let requestState: string | undefined;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const sent = {
      ...params,
      ...(answers !== undefined && { inputResponses: answers }),
      ...(requestState !== undefined && { requestState }),
    };
    const result = await ctx.once(`upstream round ${round}`, async () =>
      keepable(target, request, await send(target, way, { ...request, params: sent })),
    );
    if (isTask(result)) return followTask(target, request, result);
    if (!isInterim(result)) return result;
    answers = await answerAll(ctx, round, target.clear(result.inputRequests, known));
    known.push(answers);
    ({ requestState } = result);
  }
  throw new ToolError(`The server behind this tool asked for more input after ${MAX_ROUNDS} rounds.`);
}

/** What may be kept of a result with the call: of a task, what it is found by; of all others, nothing that callers must not see. */
function keepable({ clear }: CallTarget, { known }: RelayedRequest, result: object): object {
  if (isTask(result)) return { resultType: "task", taskId: readTaskId(result, clear) };
  // `requestState` goes back to the upstream as it was.
  if (isInterim(result)) return { ...result, inputRequests: clear(result.inputRequests, known) };
  return clear(result, known);
}

function isInterim(result: object): result is InputRequiredResult {
  return (result as { readonly resultType?: unknown }).resultType === "input_required";
}

async function answerAll(ctx: Context, round: number, questions: unknown): Promise<object | undefined> {
  if (questions === undefined) return undefined;
  const entries = isObject(questions) ? Object.entries(questions) : [];
  if (entries.length > MAX_QUESTIONS) {
    throw new ToolError(`The server behind this tool asked more than ${MAX_QUESTIONS} questions at once.`);
  }
  const asked = entries.map(async ([key, question]) => {
    const { method, params } = isObject(question) ? question : {};
    const short = key.length > MAX_KEY ? hashText(key) : key;
    return [key, await askCaller(ctx, `upstream ${round} ${short}`, method, params)] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}
