import type { InputHandlers, NotificationMessage } from "@toolwire/client";
import { ErrorCode, RpcError, type ClientCapabilities, type Context } from "@toolwire/server";
import type { Clear } from "../text/clear.ts";
import { canonicalJson } from "@toolwire/protocol/internal";
import { hashText } from "../text/hash.ts";
import { askCaller } from "./ask-caller.ts";

/**
 * Answers the questions that a legacy server asks during one call, which has a connection of its own. If the caller is modern, its
 * tool call runs again for each answer, and the upstream asks again. So an answer is found by what was asked: a different question is
 * never answered with it.
 */
export class CallQuestions {
  readonly #ctx: Context;
  readonly #clear: Clear;
  readonly #known: unknown[];
  readonly #counts = new Map<string, number>();

  /** `known` is what the caller has sent. Answers are added to it. */
  constructor(ctx: Context, clear: Clear, known: unknown[]) {
    this.#ctx = ctx;
    this.#clear = clear;
    this.#known = known;
  }

  /** Sends the caller a notification that only legacy ones know. */
  notify(method: string, params: object | undefined): void {
    if (this.#ctx.era === "legacy") void this.#ctx.notify({ method, params: this.#clear(params, this.#known) });
  }

  async ask(method: string, params: object | undefined): Promise<object> {
    // These differ each time, though the question is the same.
    const { elicitationId: _id, _meta, ...question } = (params ?? {}) as { elicitationId?: unknown; _meta?: unknown };
    const hash = hashText(canonicalJson([method, question])).slice(0, 16);
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    const shown = this.#clear(params, this.#known);
    const answer = await askCaller(this.#ctx, `upstream ${hash} ${count}`, method, shown);
    this.#known.push(answer);
    return answer;
  }
}

/** Tells a legacy caller that the user is done on a page. Modern ones have no such message. */
export function passCompletion(questions: CallQuestions | undefined, { method, params }: NotificationMessage): void {
  if (method === "notifications/elicitation/complete") questions?.notify(method, params);
}

/** Makes the handlers of a client that asks whoever `current` returns, for exactly the capabilities that the caller has. */
export function handlersFor(
  { elicitation, sampling, roots }: ClientCapabilities,
  current: () => CallQuestions | undefined,
): InputHandlers {
  const ask = async (method: string, params?: object): Promise<never> => {
    const questions = current();
    if (questions === undefined) throw new RpcError(ErrorCode.InternalError, "No request is being served.");
    // The types of handlers differ; each gets the result of its own method.
    return (await questions.ask(method, params)) as never;
  };
  return {
    ...(elicitation !== undefined && {
      elicitation: {
        ...(elicitation.form !== undefined && { form: (form: object) => ask("elicitation/create", form) }),
        ...(elicitation.url !== undefined && { url: (page: object) => ask("elicitation/create", page) }),
      },
    }),
    ...(sampling !== undefined && {
      sampling: {
        createMessage: (params: object) => ask("sampling/createMessage", params),
        tools: sampling.tools !== undefined,
        context: sampling.context !== undefined,
      },
    }),
    ...(roots !== undefined && {
      roots: async () => ((await ask("roots/list")) as { roots: never }).roots,
    }),
  };
}
