/** Checks of how handlers ask. Wrong calls compile in JavaScript, and would fail somewhere deep inside, or at the client. */
import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/protocol";

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
