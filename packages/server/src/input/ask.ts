import { isObject } from "@toolwire/protocol/internal";
import {
  UsageError,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  type Root,
} from "@toolwire/protocol";
import type { Elicited, FormQuestion, PageQuestion } from "../request/context.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { requireElicitation, requireRoots, requireSampling } from "./capabilities.ts";
import { InputDeclined } from "./errors.ts";
import { readForm, toForm } from "./form.ts";
import type { Questions, Reading } from "./questions.ts";
import { checkToolTurns } from "./tool-turns.ts";
import { expectKey, expectMessages, expectQuestion } from "./usage.ts";

/** Asks the user; throws if they decline. */
export async function elicit(
  call: ServedRequest,
  questions: Questions,
  key: string,
  question: FormQuestion | PageQuestion,
): Promise<unknown> {
  const answer = await tryElicit(call, questions, key, question);
  if (answer.action !== "accept") throw new InputDeclined(answer.action);
  return answer.content;
}

/** Asks the user. */
export async function tryElicit(
  call: ServedRequest,
  questions: Questions,
  key: string,
  question: FormQuestion | PageQuestion,
): Promise<Elicited<unknown>> {
  expectKey(key, "elicit");
  expectQuestion(question);
  const isPage = asksForPage(question);
  requireElicitation(call, isPage ? "url" : "form");
  const params = isPage ? toPage(call, question) : toForm(question);
  return questions.ask<Elicited<unknown>>(key, { method: "elicitation/create", params }, (answer) => {
    const action = isObject(answer) ? answer["action"] : undefined;
    if (action === "decline" || action === "cancel") return { ok: true, value: { action } };
    if (action !== "accept") return problem("`action` must be accept, decline or cancel");
    if (isPage) return { ok: true, value: { action, content: undefined } };
    return readForm(call.definition.schemas, question.schema, (answer as { content?: unknown }).content);
  });
}

/** Asks the client's model. */
export async function sample(
  call: ServedRequest,
  questions: Questions,
  key: string,
  params: CreateMessageParams,
): Promise<CreateMessageResult> {
  expectKey(key, "sample");
  expectMessages(params);
  requireSampling(call, params);
  checkToolTurns(params.messages);
  return questions.ask<CreateMessageResult>(key, { method: "sampling/createMessage", params }, (answer) => {
    if (!isObject(answer) || typeof answer["model"] !== "string" || !isContent(answer["content"])) {
      return problem("it must have `role`, `content` and `model`");
    }
    const role = answer["role"];
    if (role !== "user" && role !== "assistant") return problem("`role` must be user or assistant");
    return { ok: true, value: answer as unknown as CreateMessageResult };
  });
}

/** Asks which directories the client works in. */
export async function listRoots(call: ServedRequest, questions: Questions, key = "roots"): Promise<readonly Root[]> {
  expectKey(key, "roots");
  requireRoots(call);
  return questions.ask<Root[]>(key, { method: "roots/list" }, (answer) => {
    const roots = isObject(answer) ? answer["roots"] : undefined;
    if (!Array.isArray(roots) || !roots.every((root) => isObject(root) && typeof root["uri"] === "string")) {
      return problem("`roots` must be a list of objects with a `uri`");
    }
    return { ok: true, value: roots as Root[] };
  });
}

function asksForPage(question: FormQuestion | PageQuestion): question is PageQuestion {
  return "url" in question && question.url !== undefined;
}

function toPage({ perRequest }: ServedRequest, { message, url, elicitationId }: PageQuestion): ElicitParams {
  if (!URL.canParse(url)) {
    throw new UsageError("INVALID_ARGUMENT", "`url` is no URL: give the whole address, with https:// in front.");
  }
  const params: ElicitParams = { mode: "url", message, url };
  // Modern clients tell questions apart by their key.
  return perRequest === undefined ? { ...params, elicitationId: elicitationId ?? crypto.randomUUID() } : params;
}

/** Sampled content is one block or, since 2025-11-25, several. */
function isContent(content: unknown): boolean {
  return [content].flat().every((block) => isObject(block) && typeof block["type"] === "string");
}

function problem(what: string): Extract<Reading<never>, { ok: false }> {
  return { ok: false, problem: what };
}
