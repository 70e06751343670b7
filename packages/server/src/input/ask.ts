/** Checks of how handlers ask. Wrong calls compile in JavaScript, and would fail somewhere deep inside, or at the client. */
import { isObject } from "@toolwire/protocol/internal";
import {
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  ErrorCode,
  hasFeature,
  type Root,
  RpcError,
  UsageError,
} from "@toolwire/protocol";
import { noSession } from "../legacy/methods.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Elicited, FormQuestion, PageQuestion } from "../request/context.ts";
import { InputDeclined } from "./errors.ts";
import { readForm, writeFormRequest } from "./form.ts";
import type { Questions, Reading } from "./questions.ts";
import { checkToolTurns } from "./tool-turns.ts";

/** How each is called. */
const USAGE = {
  elicit: 'ctx.elicit("who", { message: "Who are you?", schema })',
  sample: 'ctx.sample("summary", { messages, maxTokens: 100 })',
  roots: 'ctx.roots("roots")',
  once: 'ctx.once("order", () => placeOrder())',
};

/** Refuses what is no key: each answer, and what was done once, is found again by its own. */
export function expectKey(key: unknown, way: keyof typeof USAGE): void {
  if (typeof key === "string" && key !== "") return;
  throw misuse("The first argument is a key, which is text of your choice", way);
}

/** Refuses a question that the user could make nothing of. */
export function expectQuestion(question: unknown): void {
  const { message, schema, url } = isObject(question) ? question : {};
  if (typeof message !== "string") throw misuse("The user has to be told what is asked by a `message`", "elicit");
  if (schema === undefined && url === undefined) {
    throw misuse("A question needs the `schema` of a form, or the `url` of a page", "elicit");
  }
}

/** Refuses what a model could make nothing of. */
export function expectMessages(params: unknown): void {
  const { messages } = isObject(params) ? params : {};
  if (!Array.isArray(messages)) throw misuse("The model is asked by a list of `messages`", "sample");
}

/** Refuses what is no work. */
export function expectWork(work: unknown): void {
  if (typeof work !== "function") throw misuse("The second argument is a function, which does the work", "once");
}

function misuse(problem: string, way: keyof typeof USAGE): UsageError {
  return new UsageError("INVALID_ARGUMENT", `${problem}, as in ${USAGE[way]}.`);
}

/** Refuses to ask a user whose client cannot. Without its modes, `elicitation` means forms. */
export function requireElicitation(call: ServedRequest, mode: "form" | "url"): void {
  const { elicitation } = call.clientCapabilities;
  const isDeclared =
    elicitation?.[mode] !== undefined ||
    (mode === "form" && elicitation !== undefined && elicitation.url === undefined);
  const exists = hasFeature(call.revision, mode === "url" ? "urlElicitation" : "elicitation");
  if (!isDeclared || !exists) throw missing(call, { elicitation: { [mode]: {} } });
}

/** Refuses to ask the model of a client that has none to offer. */
export function requireSampling(call: ServedRequest, params: CreateMessageParams): void {
  const { sampling } = call.clientCapabilities;
  const needsTools = params.tools !== undefined || params.toolChoice !== undefined;
  const needsContext = params.includeContext !== undefined && params.includeContext !== "none";
  const needed = { ...(needsTools && { tools: {} }), ...(needsContext && { context: {} }) };
  const lacksTools = needsTools && sampling?.tools === undefined;
  // Before 2025-11-25 a client could not say whether it can add context.
  const lacksContext = needsContext && sampling?.context === undefined && hasFeature(call.revision, "samplingTools");
  if (sampling === undefined || lacksTools || lacksContext) throw missing(call, { sampling: needed });
}

/** Refuses to ask for the roots of a client without any. */
export function requireRoots(call: ServedRequest): void {
  if (call.clientCapabilities.roots === undefined) throw missing(call, { roots: {} });
}

function missing({ perRequest, session }: ServedRequest, requiredCapabilities: ClientCapabilities): RpcError {
  // Whether the client could answer, nobody knows: it has said so in a handshake of which nothing is left.
  if (perRequest === undefined && session === undefined) return noSession("Asking the client");
  const names = Object.keys(requiredCapabilities).join(", ");
  return new RpcError(
    ErrorCode.MissingRequiredClientCapability,
    `This request needs a client with the capability ${names}, which was not declared.`,
    { data: { requiredCapabilities } },
  );
}

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
  const params = isPage ? toPage(call, question) : writeFormRequest(question);
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
