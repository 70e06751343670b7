/** The kinds of things that tools do, as people ask for them and as methods of HTTP carry them out. */
import type { SearchHints } from "./search-hints.ts";
import { splitText, stemOf } from "./terms.ts";

/** A kind of thing that a tool does. */
export type Action = "create" | "read" | "update" | "delete";

/** The verbs of people. One verb can mean several things: to open an issue is to create it, to open a shop again is to update it. */
const MEANINGS: ReadonlyMap<string, readonly Action[]> = new Map(
  (
    [
      [
        "create",
        "add append apply attach book buy call collect compose dial follow generate give grant import insert invite issue join launch leave like make new order " +
          "pay post print provision publish record register reply report request respond run save schedule sell send share sign star start store submit subscribe upload write",
      ],
      [
        "read",
        "browse check compare count describe diff display download explain export fetch find get how inspect list look lookup monitor preview query read render " +
          "retrieve search see show tail view visit what which who",
      ],
      [
        "update",
        "adjust archive assign change close complete configure convert correct cordon customize disable edit enable end finish fix hide lock mark merge modify move mute " +
          "patch pause promote put rename reorder replace reopen reset restart restore resume revise rotate scale set skip suspend switch toggle transfer " +
          "transition turn unarchive unlock unmute unpause update upgrade",
      ],
      [
        "delete",
        "cancel clear delete destroy detach disconnect discard drop erase evict expire kick kill purge release remove revoke stop terminate unassign unfollow unlike " +
          "unlink unset unshare unstar unsubscribe uninstall void withdraw",
      ],
      ["create update", "accept approve block confirm open pin protect react reject vote"],
      ["create read", "calculate evaluate verify validate watch"],
    ] as const
  ).flatMap(([actions, verbs]) => verbs.split(" ").map((verb) => [verb, actions.split(" ") as Action[]] as const)),
);

const MEANINGS_OF_STEMS: ReadonlyMap<string, readonly Action[]> = new Map(
  [...MEANINGS].map(([verb, actions]) => [stemOf(verb), actions]),
);

/** What a verb asks for. Empty if the word is no verb. */
export function meaningsOf(word: string): readonly Action[] {
  return MEANINGS.get(word) ?? [];
}

/** What a verb in any of its forms asks for, such as `starred`. Empty if the word is no verb. */
export function meaningsOfForm(word: string): readonly Action[] {
  return MEANINGS.get(word) ?? (/(?:ed|ing)$/.test(word) ? (MEANINGS_OF_STEMS.get(stemOf(word)) ?? []) : []);
}

/** Verbs that say no more than a method does. */
const GENERIC: ReadonlySet<string> = new Set(
  (
    "add change create delete describe display do edit fetch get give list look make modify new open put read remove retrieve see " +
    "set show update view what which"
  ).split(" "),
);

/** Verbs that are as often names of things: `POST /rest/issue` makes an issue. */
const NOUNS_TOO: ReadonlySet<string> = new Set(
  "book call issue like order print reaction record release reply report request review sign star tail vote watch".split(
    " ",
  ),
);

/** Whether a verb is as often the name of a thing, so that "watch an issue" may be about watchers. */
export function isNounToo(word: string): boolean {
  return NOUNS_TOO.has(word);
}

/** Whether a verb says no more about a tool than its method does. */
export function isGenericVerb(word: string): boolean {
  return GENERIC.has(word);
}

/** A path without the type at its end: `/Calls.json` is about calls. */
export function plainPathOf({ path = "" }: SearchHints): string {
  return path.replace(/\.(?:json|xml|yaml|\{\w+\})$/, "");
}

/** The verb at the end of a path: `/orders/{id}/cancel`. */
export function verbOfPath(hints: SearchHints): string | undefined {
  const { method } = hints;
  const segments = plainPathOf(hints).split("/");
  const word = segments.at(-1)!;
  const before = segments.at(-2) ?? "";
  if (before === "" || !MEANINGS.has(word)) return undefined;
  if (NOUNS_TOO.has(word) && !before.endsWith("}")) return undefined;
  return method === "POST" || (method === "GET" && meaningsOf(word)[0] === "read") ? word : undefined;
}

/** What a tool does, the likeliest first, as far as its method, its path and its name tell. Empty if they tell nothing. */
export function actionsOf(name: string, hints: SearchHints, isReadOnly: boolean): readonly Action[] {
  const { method } = hints;
  if (method === undefined) {
    if (isReadOnly) return ["read"];
    const verb = splitText(name).find((word) => MEANINGS.has(word));
    return verb === undefined ? [] : MEANINGS.get(verb)!;
  }
  const verb = verbOfPath(hints);
  if (verb !== undefined) return meaningsOf(verb);
  switch (method) {
    case "DELETE":
      return ["delete"];
    case "PATCH":
      return ["update"];
    case "PUT":
      // A resource under a path of its own is created or replaced: `PUT /user/starred/{owner}/{repo}`.
      return ["update", "create"];
    case "POST":
      return plainPathOf(hints).endsWith("}") ? ["update", "create"] : ["create"];
    default:
      return ["read"];
  }
}
