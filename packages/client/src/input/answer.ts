import { checkForm, describeIssues, explainUnfitForm, formDefaults, type FormContent } from "@toolwire/json-schema";
import { findConversationProblem, isObject } from "@toolwire/protocol/internal";
import {
  ErrorCode,
  RpcError,
  UsageError,
  type CreateMessageParams,
  type ElicitFormParams,
  type ElicitParams,
  type ElicitResult,
  type ElicitUrlParams,
  type InputResponse,
  type ListRootsResult,
} from "@toolwire/protocol";
import { AwaitedPages } from "./awaited-pages.ts";
import type { FormHandler, InputContext, Inputs, RootsHandler, UrlAnswer, UrlHandler } from "./handlers.ts";

/** How many questions a server may ask at once. More cannot be put to a person. */
export const MAX_QUESTIONS = 100;

/** More than any model is asked at once. */
const MAX_BLOCKS = 5_000;

/**
 * Says what is wrong with the conversation of a sampling request, in the words of the specification where it has any (sampling
 * page, "Tool Use and Result Balance"). `undefined` if nothing is.
 */
export function checkConversation(messages: unknown, maxBlocks: number = MAX_BLOCKS): string | undefined {
  switch (findConversationProblem(messages, maxBlocks)?.kind) {
    case "not-an-array":
      return "`messages` must be an array";
    case "too-long":
      return `\`messages\` must have at most ${maxBlocks} blocks of content in all`;
    case "malformed":
      return "each of `messages` must have a `role`, and `content` with a `type`";
    case "mixed-results":
      return "Tool results mixed with other content";
    case "unknown-result":
      return "Tool result of no tool use";
    case "missing-result":
      return "Tool result missing in request";
    default:
      return undefined;
  }
}

/** Answers a question of a server for which there is no {@link refusalOf}. Rejects with the error of the handler. */
export async function answerQuestion(
  inputs: Inputs,
  method: string,
  params: object | undefined,
  context: InputContext,
): Promise<object> {
  const { form, url, sample, roots } = inputs;
  switch (method) {
    case "elicitation/create": {
      const asked = params as ElicitParams;
      return asked.mode === "url" ? visitPage(url!, inputs, asked, context) : fillForm(form!, asked, context);
    }
    case "sampling/createMessage":
      return sample!(params as CreateMessageParams, context);
    default:
      return listRoots(roots!, context);
  }
}

/**
 * Answers a question that came in a result, so that nothing about it has been checked. `complain` makes the error for one that is
 * malformed or cannot be answered, from words that complete the sentence "the question …".
 */
export async function answerUnchecked(
  inputs: Inputs,
  question: unknown,
  context: InputContext,
  complain: (problem: string) => Error,
): Promise<InputResponse> {
  if (!isObject(question) || typeof question["method"] !== "string") throw complain("must have a `method`");
  const { method, params } = question;
  if (params !== undefined && !isObject(params)) throw complain("must have an object as `params`");
  const refusal = refusalOf(inputs, method, params);
  if (refusal !== undefined) throw complain(`cannot be answered: ${refusal.message}`);
  return (await answerQuestion(inputs, method, params, context)) as InputResponse;
}

/**
 * Finds out why a question cannot be answered: -32601 if its capability was not declared, -32602 if its parameters are
 * invalid. `undefined` if it can be answered.
 */
export function refusalOf(inputs: Inputs, method: string, params: object | undefined): RpcError | undefined {
  const { form, url, sample, roots, capabilities } = inputs;
  const given = (params ?? {}) as { readonly [key: string]: unknown };
  if (method === "elicitation/create" && (form ?? url)) {
    const { message, requestedSchema, url: link } = given;
    const mode = given["mode"] ?? "form";
    const isDeclared = mode === "form" ? form !== undefined : mode === "url" && url !== undefined;
    if (!isDeclared) return invalid(`this client has not declared elicitation in mode ${JSON.stringify(mode)}`);
    if (typeof message !== "string") return invalid("`message` must be a string");
    // A server must not have the user open `javascript:`, `file:` and the like.
    if (mode === "url") return hasScheme(link, /^https?:$/) ? undefined : invalid("`url` must be an http or https URL");
    const problem = explainUnfitForm(requestedSchema);
    return problem === undefined ? undefined : invalid(problem);
  }
  if (method === "sampling/createMessage" && sample) {
    const usesTools = (given["tools"] ?? given["toolChoice"]) !== undefined;
    const hasTools = capabilities.sampling?.tools !== undefined;
    if (usesTools && !hasTools) return invalid("this client has not declared `sampling.tools`");
    const problem = checkConversation(given["messages"]);
    return problem === undefined ? undefined : invalid(problem);
  }
  if (method === "roots/list" && roots) return undefined;
  return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method} is not served by this client`);
}

async function fillForm(handler: FormHandler, form: ElicitFormParams, context: InputContext): Promise<ElicitResult> {
  const { requestedSchema: schema } = form;
  const { action, content } = readAnswer(await handler(form, context));
  if (action !== "accept") return { action };
  // A field with the value `undefined` was left out.
  const given = Object.entries(content ?? {}).filter(([, value]) => value !== undefined);
  const filled = { ...formDefaults(schema), ...Object.fromEntries(given) } as FormContent;
  const issues = checkForm(schema, filled);
  if (issues.length === 0) return { action, content: filled };
  throw misused(
    `What the elicitation handler accepted does not fit the form, so it was not sent:\n${describeIssues(issues)}`,
  );
}

async function visitPage(
  handler: UrlHandler,
  inputs: Inputs,
  link: ElicitUrlParams,
  context: InputContext,
): Promise<ElicitResult> {
  const { elicitationId } = link;
  const pages = (inputs.pages ??= new AwaitedPages());
  // Without an id, the server cannot say when the user is done.
  const completed = elicitationId === undefined ? new Promise<void>(() => {}) : pages.await(elicitationId);
  const { action } = readAnswer(await handler(link, { ...context, completed }));
  return { action };
}

/** Checks the action of an answer. The server must not see any other. */
function readAnswer<Answer extends UrlAnswer>(answer: Answer): Answer {
  const action: unknown = isObject(answer) ? answer["action"] : answer;
  if (action === "accept" || action === "decline" || action === "cancel") return answer;
  throw misused(
    `The elicitation handler must return the action "accept", "decline" or "cancel"; got ${JSON.stringify(action)}.`,
  );
}

async function listRoots(handler: RootsHandler, context: InputContext): Promise<ListRootsResult> {
  const roots = await handler(context);
  const stranger = roots.find(({ uri }) => !hasScheme(uri, /^file:$/) || CLIMBS.test(uri));
  if (stranger === undefined) return { roots };
  throw misused(`A root is a \`file:\` URI without \`..\`, such as file:///home/me/project; got ${stranger.uri}`);
}

/** Two dots between slashes, in all notations: such a path leads elsewhere than it seems to. */
const CLIMBS = /([/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)/i;

function hasScheme(uri: unknown, scheme: RegExp): boolean {
  return typeof uri === "string" && URL.canParse(uri) && scheme.test(new URL(uri).protocol);
}

/** The error for a mistake of a handler of the application. */
function misused(problem: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", problem);
}

/** The error for an invalid question of the server. */
function invalid(problem: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params: ${problem}`);
}
