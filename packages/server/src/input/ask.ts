import { isObject } from "@toolwire/protocol/internal";
import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  hasFeature,
  type Root,
  UsageError,
} from "@toolwire/protocol";
import type { Elicited, FormQuestion, PageQuestion } from "../define/context.ts";
import { InputDeclined } from "../errors.ts";
import { readForm, writeFormRequest } from "./form.ts";
import type { AskingRequest, Questions, Reading } from "./questions.ts";
import { checkToolTurns } from "./tool-turns.ts";

/** Examples for error messages. Wrong calls compile in JavaScript, and would fail deep inside, or at the client. */
const USAGE = {
  elicit: 'ctx.elicit("who", { message: "Who are you?", schema })',
  sample: 'ctx.sample("summary", { messages, maxTokens: 100 })',
  roots: 'ctx.roots("roots")',
  once: 'ctx.once("order", () => placeOrder())',
};

/** Refuses an invalid key. Answers and results of `once` are found by key. */
export function expectKey(key: unknown, way: keyof typeof USAGE): void {
  if (typeof key === "string" && key !== "") return;
  throw misuse("The first argument is a key, which is text of your choice", way);
}

/** Refuses an incomplete question to the user. */
function expectQuestion(question: unknown): void {
  const { message, schema, url } = isObject(question) ? question : {};
  if (typeof message !== "string") throw misuse("The user has to be told what is asked by a `message`", "elicit");
  if (schema === undefined && url === undefined) {
    throw misuse("A question needs the `schema` of a form, or the `url` of a page", "elicit");
  }
}

/** Refuses a question to a model without messages. */
function expectMessages(params: unknown): void {
  const { messages } = isObject(params) ? params : {};
  if (!Array.isArray(messages)) throw misuse("The model is asked by a list of `messages`", "sample");
}

/** Refuses work that is not a function. */
export function expectWork(work: unknown): void {
  if (typeof work !== "function") throw misuse("The second argument is a function, which does the work", "once");
}

function misuse(problem: string, way: keyof typeof USAGE): UsageError {
  return new UsageError("INVALID_ARGUMENT", `${problem}, as in ${USAGE[way]}.`);
}

/** Refuses to ask a user whose client cannot ask. Without its modes, `elicitation` means forms. */
function requireElicitation(request: AskingRequest, questions: Questions, mode: "form" | "url"): void {
  const { elicitation } = request.clientCapabilities;
  const isDeclared =
    elicitation?.[mode] !== undefined ||
    (mode === "form" && elicitation !== undefined && elicitation.url === undefined);
  const exists = hasFeature(request.revision, mode === "url" ? "urlElicitation" : "elicitation");
  if (!isDeclared || !exists) throw questions.missing({ elicitation: { [mode]: {} } });
}

/** Refuses to ask a model through a client that offers none. */
function requireSampling(request: AskingRequest, questions: Questions, params: CreateMessageParams): void {
  const { sampling } = request.clientCapabilities;
  const needsTools = params.tools !== undefined || params.toolChoice !== undefined;
  const needsContext = params.includeContext !== undefined && params.includeContext !== "none";
  const needed = { ...(needsTools && { tools: {} }), ...(needsContext && { context: {} }) };
  const lacksTools = needsTools && sampling?.tools === undefined;
  // Before 2025-11-25 a client could not say whether it can add context.
  const lacksContext = needsContext && sampling?.context === undefined && hasFeature(request.revision, "samplingTools");
  if (sampling === undefined || lacksTools || lacksContext) throw questions.missing({ sampling: needed });
}

/** Asks the user; throws if they decline. */
export async function elicit(
  request: AskingRequest,
  questions: Questions,
  key: string,
  question: FormQuestion | PageQuestion,
): Promise<unknown> {
  const answer = await tryElicit(request, questions, key, question);
  if (answer.action !== "accept") throw new InputDeclined(answer.action);
  return answer.content;
}

/** Asks the user. */
export async function tryElicit(
  request: AskingRequest,
  questions: Questions,
  key: string,
  question: FormQuestion | PageQuestion,
): Promise<Elicited<unknown>> {
  expectKey(key, "elicit");
  expectQuestion(question);
  const isPage = asksForPage(question);
  requireElicitation(request, questions, isPage ? "url" : "form");
  const params = isPage ? toPage(questions, question) : writeFormRequest(question);
  return questions.ask<Elicited<unknown>>(key, { method: "elicitation/create", params }, (answer) => {
    const action = isObject(answer) ? answer["action"] : undefined;
    if (action === "decline" || action === "cancel") return { ok: true, value: { action } };
    if (action !== "accept") return unfit("`action` must be accept, decline or cancel");
    if (isPage) return { ok: true, value: { action, content: undefined } };
    return readForm(request.definition.schemas, question.schema, (answer as { content?: unknown }).content);
  });
}

/** Asks the client's model. */
export async function sample(
  request: AskingRequest,
  questions: Questions,
  key: string,
  params: CreateMessageParams,
): Promise<CreateMessageResult> {
  expectKey(key, "sample");
  expectMessages(params);
  requireSampling(request, questions, params);
  checkToolTurns(params.messages);
  return questions.ask<CreateMessageResult>(key, { method: "sampling/createMessage", params }, (answer) => {
    if (!isObject(answer) || typeof answer["model"] !== "string" || !isContent(answer["content"])) {
      return unfit("it must have `role`, `content` and `model`");
    }
    const role = answer["role"];
    if (role !== "user" && role !== "assistant") return unfit("`role` must be user or assistant");
    return { ok: true, value: answer as unknown as CreateMessageResult };
  });
}

/** Asks which directories the client works in. */
export async function listRoots(request: AskingRequest, questions: Questions, key = "roots"): Promise<readonly Root[]> {
  expectKey(key, "roots");
  if (request.clientCapabilities.roots === undefined) throw questions.missing({ roots: {} });
  return questions.ask<Root[]>(key, { method: "roots/list" }, (answer) => {
    const roots = isObject(answer) ? answer["roots"] : undefined;
    if (!Array.isArray(roots) || !roots.every((root) => isObject(root) && typeof root["uri"] === "string")) {
      return unfit("`roots` must be a list of objects with a `uri`");
    }
    return { ok: true, value: roots as Root[] };
  });
}

function asksForPage(question: FormQuestion | PageQuestion): question is PageQuestion {
  return "url" in question && question.url !== undefined;
}

function toPage({ hasElicitationIds }: Questions, { message, url, elicitationId }: PageQuestion): ElicitParams {
  if (!URL.canParse(url)) {
    throw new UsageError("INVALID_ARGUMENT", "`url` is no URL: give the whole address, with https:// in front.");
  }
  const params: ElicitParams = { mode: "url", message, url };
  return hasElicitationIds ? { ...params, elicitationId: elicitationId ?? crypto.randomUUID() } : params;
}

/** Sampled content is one block or, since 2025-11-25, several. */
function isContent(content: unknown): boolean {
  return [content].flat().every((block) => isObject(block) && typeof block["type"] === "string");
}

function unfit(problem: string): Extract<Reading<never>, { ok: false }> {
  return { ok: false, problem };
}
