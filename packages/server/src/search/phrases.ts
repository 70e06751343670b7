/** Words of questions that mean something only together, or that ask for something that they do not name. */
import type { Action } from "./actions.ts";
import { stemOf } from "./terms.ts";

/** What some words of a question mean. */
export interface Meaning {
  /** What an API may call it, in common form. */
  readonly terms: readonly string[];
  /** What is to be done, if the words say that. */
  readonly actions: readonly Action[];
  /** Whether tools without any of the terms are none the worse. */
  readonly isOptional: boolean;
  /** Whether the words stand for people: "who", "somebody". */
  readonly isPerson: boolean;
}

const CALLED: readonly (readonly [
  phrases: string,
  terms: string,
  actions?: string,
  optional?: "optional" | "person",
])[] = [
  ["who am i|whoami|my account|my profile|logged in as", "me myself self current user profile", "read"],
  ["am i allowed|am i permitted|may i|can i|permitted to do|allowed to do", "permission access allow", "read create"],
  [
    "get notified|notify me|tell me when|let me know|alert me|inform me",
    "webhook hook notification trigger subscription",
    "create",
  ],
  ["money back|pay back|give back", "refund", "create"],
  ["how many", "count number total statistics", "read", "optional"],
  ["how much", "balance usage total amount", "read", "optional"],
  ["how often", "usage count analytics statistics", "read", "optional"],
  ["how big", "size storage", "read", "optional"],
  ["look like", "preview upcoming", "read", "optional"],
  ["have left|are left|is left|remaining", "limit quota rate remaining balance", "read"],
  ["hang up", "end", "update delete"],
  ["log in|sign in", "login session", "create"],
  ["log out|sign out", "logout session revoke", "delete"],
  ["sign up", "register user", "create"],
  ["set up", "create", "create", "optional"],
  ["get rid of|throw away|throw out|take away|kick out", "remove delete", "delete", "optional"],
  ["turn on|switch on", "enable", "update create", "optional"],
  ["turn off|switch off", "disable", "update delete", "optional"],
  ["turn up|turn down|turn the|switch to", "set", "update", "optional"],
  ["stop sharing|unshare", "collaboration share link permission", "delete"],
  ["fill in|fill out", "fill form", "update create", "optional"],
  ["look up|look for", "search find", "read", "optional"],
  ["shut down", "stop terminate shutdown", "update delete"],
  ["open tickets|open issues", "issue", "read"],
  ["somebody|someone|anybody|anyone", "user member person participant collaborator", "", "person"],
  ["who", "user member person people participant collaborator owner author assignee", "read", "person"],
  ["why", "log error event explain reason", "read", "optional"],
];

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  CALLED.flatMap(([phrases, terms, actions = "", optional]) => {
    const meaning: Meaning = {
      terms: terms.split(" ").map(stemOf),
      actions: actions.split(" ").filter((action) => action !== "") as Action[],
      isOptional: optional !== undefined,
      isPerson: optional === "person",
    };
    return phrases.split("|").map((phrase) => [phrase, meaning] as const);
  }),
);

/** The most words of a phrase. */
const LONGEST = 3;

/** Finds the longest phrase that begins with a word of a question. */
export function phraseAt(
  words: readonly string[],
  index: number,
): { readonly length: number; readonly meaning: Meaning } | undefined {
  for (let length = Math.min(LONGEST, words.length - index); length > 0; length -= 1) {
    const meaning = MEANINGS.get(words.slice(index, index + length).join(" "));
    if (meaning !== undefined) return { length, meaning };
  }
  return undefined;
}
