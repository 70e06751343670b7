/** The kinds of things that tools do, as people ask for them and as methods of HTTP carry them out. */
import type { SearchHints } from "../tool/search-hints.ts";
import { splitText } from "./terms.ts";

/** A kind of thing that a tool does. */
export type Action = "create" | "read" | "update" | "delete";

/** The verbs of people. One verb can mean several things: to open an issue is to create it, to open a shop again is to update it. */
const MEANINGS: ReadonlyMap<string, readonly Action[]> = new Map(
  (
    [
      [
        "create",
        "add compose generate import insert invite launch make new post publish register run save send start submit subscribe upload write",
      ],
      [
        "read",
        "check count describe display download export fetch find get how list look lookup print query read retrieve search see show view what which who",
      ],
      [
        "update",
        "adjust archive assign change close correct disable edit enable lock mark modify move patch pause put rename reopen replace resume scale set transfer unlock update",
      ],
      [
        "delete",
        "cancel clear delete destroy detach drop erase kill remove revoke unassign unfollow unlink unset unstar unsubscribe",
      ],
      ["create update", "open"],
    ] as const
  ).flatMap(([actions, verbs]) => verbs.split(" ").map((verb) => [verb, actions.split(" ") as Action[]] as const)),
);

/** What a verb asks for. Empty if the word is no verb. */
export function meaningsOf(word: string): readonly Action[] {
  return MEANINGS.get(word) ?? [];
}

/** The verb at the end of a path: `/orders/{id}/cancel`. */
export function verbOfPath({ path, method }: SearchHints): string | undefined {
  const text = path ?? "";
  const word = text.slice(text.lastIndexOf("/") + 1);
  const fits = method === "POST" || (method === "GET" && meaningsOf(word)[0] === "read");
  return fits && text.lastIndexOf("/") > 0 && MEANINGS.has(word) ? word : undefined;
}

/** What a tool does, the likeliest first, as far as its method, its path and its name tell. Empty if they tell nothing. */
export function actionsOf(name: string, hints: SearchHints, isReadOnly: boolean): readonly Action[] {
  const { method, path } = hints;
  if (method === undefined) {
    const verb = splitText(name).find((word) => MEANINGS.has(word));
    return verb === undefined ? (isReadOnly ? ["read"] : []) : MEANINGS.get(verb)!;
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
      return path?.endsWith("}") === true ? ["update", "create"] : ["create"];
    default:
      return ["read"];
  }
}
