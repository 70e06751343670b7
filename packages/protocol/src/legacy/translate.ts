import type { NotificationMethod, Notifications, ParamsOf, RequestMethod } from "../model/methods.ts";
import { type AnswerOf, notificationTable, requestTable, resultTable } from "./tables.ts";
import type { Revision } from "../revisions/revision.ts";
import type { Rewrite } from "./rewrite.ts";

type AnswerFor<M extends string> = M extends RequestMethod ? AnswerOf<M> : object;
type ParamsFor<M extends string> = M extends RequestMethod ? ParamsOf<M> : object | undefined;
type NoticeFor<M extends string> = M extends NotificationMethod ? Notifications[M] : object | undefined;

/**
 * Turns values of the neutral model into what one revision can express. Each function looks a translation up, to be
 * kept and used many times; `undefined` means that values can go out as they are. A translation returns the very value
 * it was given if nothing has to change, and never changes it in place.
 */
export interface Translator {
  readonly revision: Revision;
  /** What a method answers. Answers of unknown methods get what all answers have in common. */
  result<M extends string>(method: M): Rewrite<AnswerFor<M>>;
  /** What a request carries, whether it is sent or travels inside an input-required result. */
  request<M extends string>(method: M): Rewrite<ParamsFor<M>>;
  /** What a notification carries. */
  notification<M extends string>(method: M): Rewrite<NoticeFor<M>>;
}

const translators = new Map<Revision, Translator>();

/** The translator for a revision, made on first use. */
export function translatorFor(revision: Revision): Translator {
  let translator = translators.get(revision);
  if (translator === undefined) {
    translator = createTranslator(revision);
    translators.set(revision, translator);
  }
  return translator;
}

/** What a method answers, as a revision can express it. To translate many, keep what {@link translatorFor} finds. */
export function translateResult<M extends RequestMethod>(
  revision: Revision,
  method: M,
  result: AnswerFor<M>,
): AnswerFor<M> {
  return apply(translatorFor(revision).result(method), result);
}

/** What a request carries, as a revision can express it. Throws a `UsageError` for what it cannot express at all. */
export function translateRequest<M extends RequestMethod>(
  revision: Revision,
  method: M,
  params: ParamsFor<M>,
): ParamsFor<M> {
  return apply(translatorFor(revision).request(method), params);
}

/** What a notification carries, as a revision can express it. */
export function translateNotification<M extends NotificationMethod>(
  revision: Revision,
  method: M,
  params: NoticeFor<M>,
): NoticeFor<M> {
  return apply(translatorFor(revision).notification(method), params);
}

function createTranslator(revision: Revision): Translator {
  const { common, ...results } = resultTable(revision);
  const requests = requestTable(revision);
  const notifications = notificationTable(revision);
  return {
    revision,
    result: (method) => find(results, method, common),
    request: (method) => find(requests, method),
    notification: (method) => find(notifications, method),
  };
}

/** Every table holds, under each method, the translation of exactly what that method carries. */
function find<T>(table: object, method: string, otherwise?: unknown): Rewrite<T> {
  return (Object.hasOwn(table, method) ? table[method as never] : otherwise) as Rewrite<T>;
}

function apply<T>(rewrite: Rewrite<T>, value: T): T {
  return rewrite === undefined ? value : rewrite(value);
}
