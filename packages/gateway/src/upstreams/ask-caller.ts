import type { InputHandlers, NotificationMessage } from "@toolwire/client";
import { explainUnfitForm } from "@toolwire/json-schema";
import { createClearing, isObject } from "@toolwire/protocol/internal";
import {
  ErrorCode,
  RpcError,
  ToolError,
  UsageError,
  type ClientCapabilities,
  type Context,
  type CreateMessageParams,
  type JsonSchemaObject,
} from "@toolwire/server";
import { canonicalJson } from "./listing-text.ts";
import { hashText } from "./names.ts";

/** Puts a question of an upstream to the caller whose request it serves. Resolves to the result that the upstream expects. */
export async function askCaller(ctx: Context, key: string, method: unknown, params: unknown): Promise<object> {
  const given = isObject(params) ? params : {};
  try {
    switch (method) {
      case "elicitation/create":
        return await elicit(ctx, key, given);
      case "sampling/createMessage":
        return await ctx.sample(key, given as unknown as CreateMessageParams);
      case "roots/list":
        return { roots: await ctx.roots(key) };
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${String(method).slice(0, 100)}`);
    }
  } catch (error) {
    // A question that breaks the rules is the upstream's mistake, not one of the gateway.
    if (!(error instanceof UsageError)) throw error;
    throw new ToolError(`The server behind this tool asked something that cannot be passed on: ${error.message}`);
  }
}

async function elicit(ctx: Context, key: string, given: { readonly [name: string]: unknown }): Promise<object> {
  const { mode, message, url, requestedSchema, elicitationId } = given;
  if (typeof message !== "string") throw new UsageError("INVALID_ARGUMENT", "It has no `message`.");
  if (mode === "url") {
    const id = typeof elicitationId === "string" ? { elicitationId } : {};
    const { action } = await ctx.tryElicit(key, { message, url: String(url), ...id });
    return { action };
  }
  const problem = explainUnfitForm(requestedSchema);
  if (problem !== undefined) throw new UsageError("INVALID_ARGUMENT", problem);
  const { action, content } = await ctx.tryElicit(key, { message, schema: requestedSchema as JsonSchemaObject });
  return action === "accept" ? { action, content } : { action };
}

/**
 * Answers the questions that a legacy server asks during one call, which has a connection of its own. If the caller is modern, its
 * tool call runs again for each answer, and the upstream asks again. So an answer is found by what was asked: a different question is
 * never answered with it.
 */
export class CallQuestions {
  readonly #ctx: Context;
  readonly #secrets: readonly string[];
  readonly #known: unknown[];
  readonly #counts = new Map<string, number>();

  /** No question contains `secrets`, but for those that are in what the caller has sent: `known`. Answers are added to it. */
  constructor(ctx: Context, secrets: readonly string[], known: unknown[]) {
    this.#ctx = ctx;
    this.#secrets = secrets;
    this.#known = known;
  }

  /** Sends the caller a notification that only legacy ones know. */
  notify(method: string, params: object | undefined): void {
    if (this.#ctx.era === "legacy") void this.#ctx.notify({ method, params });
  }

  async ask(method: string, params: object | undefined): Promise<object> {
    // These differ each time, though the question is the same.
    const { elicitationId: _id, _meta, ...question } = (params ?? {}) as { elicitationId?: unknown; _meta?: unknown };
    const hash = hashText(canonicalJson([method, question])).slice(0, 16);
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    const clearing = createClearing(this.#secrets, this.#known);
    const answer = await askCaller(this.#ctx, `upstream ${hash} ${count}`, method, clearing.value(params));
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
