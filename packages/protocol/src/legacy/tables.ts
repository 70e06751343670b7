/** The translations of all requests, notifications and results into a revision, by method. */

import type { CacheableResult, Result } from "../model/basic.ts";
import type { InputRequest, InputRequiredResult, Root } from "../model/input.ts";
import type {
  InputRequiringMethod,
  NotificationMethod,
  Notifications,
  ParamsOf,
  RequestMethod,
  ResultOf,
} from "../model/methods.ts";
import type { GetPromptResult, PromptMessage } from "../model/prompts.ts";
import type { ReadResourceResult } from "../model/resources.ts";
import type { CallToolResult } from "../model/tools.ts";
import type { CompleteParams, CompleteResult } from "../model/utilities.ts";
import { unsupported } from "../revisions/features.ts";
import { eraOf, type Revision } from "../revisions/revision.ts";
import {
  createMessageParamsRewrite,
  createMessageResultRewrite,
  elicitParamsRewrite,
  elicitResultRewrite,
} from "./client-features.ts";
import { initializeParamsRewrite, initializeResultRewrite } from "./handshake.ts";
import { chain, each, knownFields, member, type Rewrite, values } from "./rewrite.ts";
import {
  callToolResultRewrite,
  contentRewrite,
  promptRewrite,
  resourceContentsRewrite,
  resourceRewrite,
  toolRewrite,
} from "./server-features.ts";

/** The translations of the parameters of requests. Absent ones are the same in all revisions. */
export type RequestTable = { readonly [M in RequestMethod]?: Rewrite<ParamsOf<M>> };

/** The translations of the parameters of requests into a revision. */
export function requestTable(revision: Revision): RequestTable {
  return {
    initialize: initializeParamsRewrite(revision),
    "completion/complete": chain<CompleteParams>(
      knownFields(revision, "completeParams"),
      member("ref", knownFields(revision, "promptReference")),
    ),
    "elicitation/create": elicitParamsRewrite(revision),
    "sampling/createMessage": createMessageParamsRewrite(revision),
  };
}

/** The translations of the parameters of notifications. Absent ones are the same in all revisions. */
export type NotificationTable = { readonly [M in NotificationMethod]?: Rewrite<Notifications[M]> };

/** The translations of the parameters of notifications into a revision. */
export function notificationTable(revision: Revision): NotificationTable {
  return { "notifications/progress": knownFields(revision, "progressParams") };
}

/** The results of a method, including the input-required result of methods that have one. */
export type AnswerOf<M extends RequestMethod> =
  | ResultOf<M>
  | (M extends InputRequiringMethod ? InputRequiredResult : never);

/** The translations of results, with `common` for those of other methods. */
export type ResultTable = { readonly [M in RequestMethod]?: Rewrite<AnswerOf<M>> } & {
  readonly common: Rewrite<Result>;
};

/** The translations of results into a revision. */
export function resultTable(revision: Revision): ResultTable {
  const isModern = eraOf(revision) === "modern";
  const strip = knownFields<Result>(revision, "result");
  const plain = <T extends Result>(): Rewrite<T> => (isModern ? complete : (strip as Rewrite<T>));
  const cacheable = <T extends CacheableResult>(): Rewrite<T> => (isModern ? hint : (strip as Rewrite<T>));
  // The result of a modern client is part of a request, and has no members of its own.
  const fromClient = <T extends Result>(): Rewrite<T> => (isModern ? undefined : (strip as Rewrite<T>));
  const questions = isModern ? questionsRewrite(revision) : refuseQuestions(revision);

  return {
    common: plain(),
    "server/discover": cacheable(),
    "tools/list": chain(cacheable(), member("tools", each(toolRewrite(revision)))),
    "tools/call": either<CallToolResult>(chain(plain(), callToolResultRewrite(revision)), questions),
    "resources/list": chain(cacheable(), member("resources", each(resourceRewrite(revision)))),
    "resources/templates/list": chain(cacheable(), member("resourceTemplates", each(resourceRewrite(revision)))),
    "resources/read": either<ReadResourceResult>(
      chain(cacheable(), member("contents", each(resourceContentsRewrite(revision)))),
      questions,
    ),
    "prompts/list": chain(cacheable(), member("prompts", each(promptRewrite(revision)))),
    "prompts/get": either<GetPromptResult>(
      chain(plain(), member("messages", each(member<PromptMessage, "content">("content", contentRewrite(revision))))),
      questions,
    ),
    "completion/complete": chain(plain(), capSuggestions),
    initialize: chain(plain(), initializeResultRewrite(revision)),
    "elicitation/create": chain(fromClient(), elicitResultRewrite(revision)),
    "sampling/createMessage": chain(fromClient(), createMessageResultRewrite(revision)),
    "roots/list": chain(fromClient(), member("roots", each<Root>(knownFields(revision, "root")))),
  };
}

/*
 * Defaults come first in the literal, as V8 takes twenty times as long to add a member to a fresh copy. Members that are
 * `undefined` hide them, and have to be filled in again.
 */

function complete<T extends Result>(result: T): T {
  if (result.resultType !== undefined) return result;
  const copy: T = { resultType: "complete", ...result };
  copy.resultType ??= "complete";
  return copy;
}

/** Without hints, a result may not be reused: the safe default, and the meaning of absent hints. */
function hint<T extends CacheableResult>(result: T): T {
  if (result.resultType !== undefined && result.ttlMs !== undefined && result.cacheScope !== undefined) return result;
  const copy: T = { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };
  copy.resultType ??= "complete";
  copy.ttlMs ??= 0;
  copy.cacheScope ??= "private";
  return copy;
}

/** At most 100 suggestions may be sent; the rest is only counted. */
function capSuggestions(result: CompleteResult): CompleteResult {
  const { values: all, total = all.length } = result.completion;
  if (all.length <= 100) return result;
  return { ...result, completion: { values: all.slice(0, 100), total, hasMore: true } };
}

function either<T extends Result>(
  answer: Rewrite<T>,
  questions: (result: InputRequiredResult) => InputRequiredResult,
): Rewrite<T | InputRequiredResult> {
  return (result) => {
    if (isQuestions(result)) return questions(result);
    return answer === undefined ? result : answer(result);
  };
}

function isQuestions(result: Result | InputRequiredResult): result is InputRequiredResult {
  return result.resultType === "input_required";
}

function questionsRewrite(revision: Revision): (result: InputRequiredResult) => InputRequiredResult {
  const elicit = elicitParamsRewrite(revision);
  const rewrite = member<InputRequiredResult, "inputRequests">(
    "inputRequests",
    values<InputRequest>((request) => {
      if (request.method !== "elicitation/create" || elicit === undefined) return request;
      const params = elicit(request.params);
      return params === request.params ? request : { ...request, params };
    }),
  );
  return rewrite ?? ((result) => result);
}

function refuseQuestions(revision: Revision): (result: InputRequiredResult) => never {
  return () => {
    throw unsupported(revision, "be asked for input in a result");
  };
}
