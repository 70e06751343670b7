/** What a search knows of a tool: its words by where they are, and what its name and its path tell. */
import type { JsonSchema, ToolAnnotations } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { type Action, actionsOf, meaningsOf, plainPathOf, verbOfPath } from "./actions.ts";
import type { SearchHints } from "./search-hints.ts";
import { isStopWord, splitText, stemOf } from "./terms.ts";
import { isPlural, singularOf } from "./words.ts";

/** The parts of a tool that are searched. */
export interface SearchableTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly hints?: SearchHints | undefined;
}

/** The texts of a tool by field. */
export interface Fields {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly tags: string;
  readonly keywords: string;
  readonly description: string;
  readonly parameters: string;
}

/** What is known of a tool besides its words. */
export interface Entry<T> {
  readonly tool: T;
  /** What it does, the likeliest first. */
  readonly actions: readonly Action[];
  /** What it is about: the last name in its path, or the last words of its name. */
  readonly subject: ReadonlySet<string>;
  /** The subject in one word, if its path writes it so: `configmap`. */
  readonly joined: string | undefined;
  /** What that belongs to: the names before it. */
  readonly context: ReadonlySet<string>;
  /** What its title says that it is about. */
  readonly title: ReadonlySet<string>;
  readonly depth: number;
  /** Whether it is about many things. `undefined` if nothing tells. */
  readonly isMany: boolean | undefined;
  /** Whether it is about something of the caller: `/me/playlists`. */
  readonly isOwn: boolean;
  readonly isDeprecated: boolean;
}

/** The most characters of a text that count. */
const MAX_TEXT = 1_000;

/** The most parameters, and values of a parameter, whose names count. */
const MAX_PARAMETERS = 60;
const MAX_VALUES = 20;

const OWN: ReadonlySet<string> = new Set(["me", "my", "myself", "mine", "self"]);

/** The texts of a tool by field. */
export function fieldsOf(tool: SearchableTool, id: number): Fields {
  const { name, title = "", description = "", hints = {} } = tool;
  return {
    id,
    name,
    title: title.slice(0, MAX_TEXT),
    path: (hints.path ?? "").replaceAll(/\{[^{}]*\}/g, " ").slice(0, MAX_TEXT),
    tags: (hints.tags ?? []).join(" ").slice(0, MAX_TEXT),
    keywords: (hints.keywords ?? []).join(" ").slice(0, MAX_TEXT),
    description: description.slice(0, MAX_TEXT),
    parameters: parametersOf(tool.inputSchema).slice(0, 2 * MAX_TEXT),
  };
}

/** What is known of a tool besides its words. */
export function describeTool<T extends SearchableTool>(tool: T): Entry<T> {
  const { name, hints = {}, annotations } = tool;
  const actions = actionsOf(name, hints, annotations?.readOnlyHint === true);
  const title = stems(withoutVerbs(splitText(tool.title ?? "")));
  const nameWords = splitText(name);
  const segments = plainPathOf(hints)
    .split(/[/#]/)
    .filter((segment) => segment !== "");
  const names = segments
    .filter((segment) => !segment.startsWith("{"))
    .map((segment) => wordsOfSegment(segment, nameWords));
  // `/orders/search` and `/orders/{id}/cancel` are about orders.
  if (names.length > 1 && verbOfPath(hints) !== undefined) names.pop();
  const last = names.at(-1);
  const isOwn =
    names.flat().some((word) => OWN.has(word)) || names[0]?.[0] === "user" || OWN.has(nameWords.at(-1) ?? "");
  if (last === undefined) {
    const words = withoutVerbs(nameWords);
    const thing = words.at(-1);
    return {
      tool,
      actions,
      title: new Set(),
      subject: stems(words.slice(-1)),
      joined: undefined,
      context: stems(words.slice(0, -1)),
      depth: 0,
      isMany: thing === undefined ? undefined : isPlural(thing) || undefined,
      isOwn,
      isDeprecated: hints.isDeprecated === true,
    };
  }
  return {
    tool,
    actions,
    title,
    subject: stems(withoutVerbs(last)),
    joined: last.length > 1 ? stemOf(last.join("")) : undefined,
    context: stems(names.slice(0, -1).flat()),
    depth: segments.length,
    // `/project` may be one or all of them.
    isMany: segments.at(-1)!.startsWith("{") ? false : isPlural(last.at(-1) ?? "") ? true : undefined,
    isOwn,
    isDeprecated: hints.isDeprecated === true,
  };
}

/** The words of a part of a path. Names tell where the words of `cronjobs` and `mypermissions` end. */
function wordsOfSegment(segment: string, nameWords: readonly string[]): readonly string[] {
  const words = splitText(segment);
  const [only = ""] = words;
  if (words.length !== 1 || nameWords.includes(only)) return words;
  const whole = singularOf(only);
  for (let from = 0; from < nameWords.length; from += 1) {
    let joined = "";
    for (let to = from; to < nameWords.length && joined.length < only.length; to += 1) {
      joined += nameWords[to]!;
      if (to > from && singularOf(joined) === whole) {
        const parts = nameWords.slice(from, to + 1);
        // The path has the plural, which the name of an operation on one of them has not.
        return isPlural(only) && !isPlural(joined) ? [...parts.slice(0, -1), `${parts.at(-1)!}s`] : parts;
      }
    }
  }
  return words;
}

/** The words that count, in common form. */
function stems(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.filter((word) => !isStopWord(word)).map(stemOf));
}

function withoutVerbs(words: readonly string[]): readonly string[] {
  const things = words.filter((word) => meaningsOf(word).length === 0);
  return things.length > 0 ? things : words;
}

/** The names of arguments, and the values that they may have: `state` may be `closed`, so the tool closes. */
function parametersOf(schema: JsonSchema | undefined): string {
  const found: string[] = [];
  for (const [name, property] of propertiesOf(schema)) {
    found.push(name);
    const values: unknown = isObject(property) ? property["enum"] : undefined;
    if (Array.isArray(values) && values.length <= MAX_VALUES) {
      found.push(...values.filter((value) => typeof value === "string"));
    }
    if (name === "body") found.push(...propertiesOf(property).map(([inner]) => inner));
  }
  return found.slice(0, MAX_PARAMETERS).join(" ");
}

function propertiesOf(schema: unknown): readonly (readonly [string, unknown])[] {
  const properties: unknown = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? Object.entries(properties).slice(0, MAX_PARAMETERS) : [];
}
