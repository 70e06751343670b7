import type { NotificationMethod, Notifications, ParamsOf, RequestMethod } from "../model/methods.ts";
import type { Revision } from "../revisions/revision.ts";
import type { Rewrite } from "./rewrite.ts";
import { type AnswerOf, notificationTable, requestTable, resultTable } from "./tables.ts";

type AnswerFor<M extends string> = M extends RequestMethod ? AnswerOf<M> : object;
type ParamsFor<M extends string> = M extends RequestMethod ? ParamsOf<M> : object | undefined;
type NoticeFor<M extends string> = M extends NotificationMethod ? Notifications[M] : object | undefined;

/**
 * Translates values of the neutral model into one revision. Each function looks a translation up, to be
 * kept and used many times; `undefined` means that values can go out as they are. A translation returns the very value
 * it was given if nothing has to change, and never changes it in place.
 */
export interface Translator {
  readonly revision: Revision;
  /** The translation of a result. Results of unknown methods get the changes that all results have in common. */
  result<M extends string>(method: M): Rewrite<AnswerFor<M>>;
  /** The translation of the parameters of a request, sent as a message or inside an input-required result. */
  request<M extends string>(method: M): Rewrite<ParamsFor<M>>;
  /** The translation of the parameters of a notification. */
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

/** Translates a result into a revision. To translate many, keep the translation of {@link translatorFor}. */
export function translateResult<M extends RequestMethod>(
  revision: Revision,
  method: M,
  result: AnswerFor<M>,
): AnswerFor<M> {
  return apply(translatorFor(revision).result(method), result);
}

/** Translates the parameters of a request. Throws a `UsageError` if the revision cannot express them. */
export function translateRequest<M extends RequestMethod>(
  revision: Revision,
  method: M,
  params: ParamsFor<M>,
): ParamsFor<M> {
  return apply(translatorFor(revision).request(method), params);
}

/** Translates the parameters of a notification. */
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

/** Looks a method up in a table. The types of the tables guarantee that the translation fits the method. */
function find<T>(table: object, method: string, otherwise?: unknown): Rewrite<T> {
  return (Object.hasOwn(table, method) ? table[method as never] : otherwise) as Rewrite<T>;
}

function apply<T>(rewrite: Rewrite<T>, value: T): T {
  return rewrite === undefined ? value : rewrite(value);
}
