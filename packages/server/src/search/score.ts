/** How well a tool answers a question. */
import type { Question, Role } from "./question.ts";
import type { Entry } from "./searchable-tool.ts";

/** The tools that have something a question names: how strongly, from 0 to 1, and by which words. */
export type Found = ReadonlyMap<number, { readonly strength: number; readonly matched: readonly string[] }>;

/** What multiplies the score of a tool. Chosen by the questions of the tuning half of `apps/search-quality`. */
const FACTORS = {
  /** It lists many things where one is meant, or the other way around. */
  otherNumber: 0.65,
  /** It is about something of the caller, and so is the question. */
  own: 1.2,
  /** For each part of its path: what is deep is rarely meant. */
  depth: 0.98,
  deprecated: 0.5,
  /** It does just what is asked for, among other things what is asked for, something else that is asked for, or might do it. */
  doesIt: { only: 2.2, first: 2, also: 1.2, perhaps: 1.1, not: 0.5 },
  /** It reads, and the question does not say what is to be done. */
  reads: 1.1,
};

/** How much of the fit depends on whether the question names what a tool is about, what that belongs to, and the rest of its title. */
const SHARES = { subject: 0.75, context: 0.15, title: 0.35 };

/** How much it counts that a question names what a tool is about, if it names it as something else than the thing it asks for. */
const NAMED_AS = { place: 0.5, other: 0.8 };

/** How well a tool answers a question. 0: it has none of the words. */
export function scoreOf(
  entry: Entry<unknown>,
  id: number,
  question: Question,
  found: readonly Found[],
  tools: number,
): number {
  const isOtherNumber = question.isMany !== undefined && entry.isMany !== undefined && question.isMany !== entry.isMany;
  return (
    textOf(id, question, found, tools) *
    fitOf(entry, id, question, found) *
    doingOf(entry, question) *
    (isOtherNumber ? FACTORS.otherNumber : 1) *
    (question.isOwn && entry.isOwn ? FACTORS.own : 1) *
    FACTORS.depth ** entry.depth *
    (entry.isDeprecated ? FACTORS.deprecated : 1)
  );
}

/** The share of a question that a tool has words for. Rare words count more, and words that no tool has do not count. */
function textOf(id: number, { concepts }: Question, found: readonly Found[], tools: number): number {
  let all = 0;
  let own = 0;
  for (const [index, { weight, role }] of concepts.entries()) {
    const having = found[index]!;
    if (having.size === 0) continue;
    const worth = weight * Math.sqrt(Math.log(1 + tools / having.size));
    const has = worth * (having.get(id)?.strength ?? 0);
    own += has;
    // To lack what is only wished for costs nothing.
    all += role === "wish" ? has / 2 : worth;
  }
  return all === 0 ? own : own / all;
}

/** How much of what a tool is about the question names: a bank account of a customer is no customer. */
function fitOf(entry: Entry<unknown>, id: number, { concepts }: Question, found: readonly Found[]): number {
  const named = new Map<string, number>();
  const hasThing = concepts.some(({ role }, index) => role === "thing" && found[index]!.size > 0);
  for (const [index, { role }] of concepts.entries()) {
    const worth = worthOf(role, hasThing);
    for (const word of found[index]!.get(id)?.matched ?? []) named.set(word, Math.max(named.get(word) ?? 0, worth));
  }
  const { subject, joined, context, title } = entry;
  const isJoined = joined !== undefined && named.has(joined);
  return (
    mix(SHARES.subject, isJoined ? 1 : shareOf(subject, (word) => named.get(word) ?? 0)) *
    mix(
      SHARES.context,
      shareOf(context, (word) => (named.has(word) ? 1 : 0)),
    ) *
    mix(
      SHARES.title,
      shareOf(title, (word) => (named.has(word) ? 1 : 0)),
    )
  );
}

/** One, less what is lacking of a share. */
function mix(share: number, value: number): number {
  return 1 - share + share * value;
}

/** The share of words that are named. One if there are none. */
function shareOf(words: ReadonlySet<string>, worth: (word: string) => number): number {
  if (words.size === 0) return 1;
  let sum = 0;
  for (const word of words) sum += worth(word);
  return sum / words.size;
}

/** A tool that is about the place of a question, or about its verb, is hardly meant. */
function worthOf(role: Role, hasThing: boolean): number {
  switch (role) {
    case "thing":
      return 1;
    case "place":
      return hasThing ? NAMED_AS.place : 1;
    default:
      return NAMED_AS.other;
  }
}

/** How well what a tool does is what the question asks for. What is only read is meant if the question does not say. */
function doingOf({ actions }: Entry<unknown>, { actions: asked }: Question): number {
  const [main] = actions;
  const { doesIt } = FACTORS;
  if (asked.length === 0 || main === undefined) return main === "read" ? FACTORS.reads : 1;
  if (main === asked[0]) return actions.length === 1 ? doesIt.only : doesIt.first;
  if (asked.includes(main)) return doesIt.also;
  return actions.some((action) => asked.includes(action)) ? doesIt.perhaps : doesIt.not;
}
