import { isLastVerb, isPlural, isVerb, singularOf, splitName } from "@toolwire/server/search/internal";

/** The parts of an operation that a readable name is made of. Its name depends on nothing else. */
export interface ReadableSource {
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
}

/** The most characters of an id or a path that count. */
const MAX_TEXT = 500;

/** Words after which an object has ended: `list-for-user` lists what its group is called. */
const PREPOSITIONS: ReadonlySet<string> = new Set(
  "as at between by for from in into of on per through to under via with without".split(" "),
);

/** Verbs whose object is a plural. */
const PLURAL_VERBS: ReadonlySet<string> = new Set(["count", "find", "list", "search"]);

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);

/** The first words of ids that repeat their method and path: `PostCustomersCustomer`. */
const METHOD_WORDS: ReadonlySet<string> = new Set(["delete", "get", "patch", "post", "put"]);

/**
 * A name for an operation in words, the verb first: `create_issue` for `issues/create`, `list_repos_for_user` for
 * `repos/list-for-user`. If the id only repeats method and path, or there is none, these make the name: `create_customer` for
 * `PostCustomers`, `close_dispute` for `POST /disputes/{id}/close`.
 */
export function readableName({ id, method, path }: ReadableSource): string {
  const words = id === undefined ? [] : nameOfId(id.slice(0, MAX_TEXT), method, path.slice(0, MAX_TEXT));
  const chosen = words.length > 0 ? words : nameOfPath(method, path.slice(0, MAX_TEXT));
  return chosen.filter((word, index) => word !== chosen[index - 1]).join("_");
}

function nameOfId(id: string, method: string, path: string): readonly string[] {
  const parts = id
    .split(/[/.:]+|_(?=[A-Z])/)
    .map((part) => splitName(part).filter((word, index) => index === 0 || !ARTICLES.has(word)))
    .filter((part) => part.length > 0);
  const own = parts.at(-1) ?? [];
  const group = parts.slice(0, -1).flat();
  const [first] = own;
  const last = own.at(-1);
  if (group.length === 0 && first !== undefined && METHOD_WORDS.has(first) && repeatsPath(own.slice(1), path)) {
    const name = nameOfPath(method, path);
    // `getStatuses` at `/status` lists more than `getStatus` at `/status/{id}` gets.
    return name[0] === "get" && !path.endsWith("}") && isPlural(last!) ? ["list", ...own.slice(1)] : name;
  }
  if (own.length > 1 && isLastVerb(last, first)) return [last, ...singular(group), ...own.slice(0, -1)];
  if (isVerb(first)) return group.length === 0 ? own : nameOfGroup(group, own);
  return [...group, ...own];
}

/** The name of an operation whose id has a group before its verb: `issues/create`. */
function nameOfGroup(group: readonly string[], own: readonly string[]): readonly string[] {
  let length = 1;
  while ((own[length] === "or" || own[length] === "and") && isVerb(own[length + 1])) length += 2;
  const verbs = own.slice(0, length);
  const rest = own.slice(length);
  const known = new Set(rest.map(singularOf));
  if (group.every((word) => known.has(singularOf(word)))) return own;
  const isPhrase = rest[0] === undefined || PREPOSITIONS.has(rest[0]);
  const isParticiple = rest.length === 1 && rest[0]!.endsWith("ed");
  if (!isPhrase && !isParticiple) return [...verbs, ...singular(group), ...rest];
  const object = PLURAL_VERBS.has(verbs[0]!) ? group : singular(group);
  return isParticiple ? [...verbs, ...rest, ...object] : [...verbs, ...object, ...rest];
}

/** Words that mean one thing: only the last can be a plural. */
function singular(words: readonly string[]): readonly string[] {
  return words.map((word, index) => (index === words.length - 1 ? singularOf(word) : word));
}

/** A segment of a path: a parameter, or words. */
interface Segment {
  readonly isParameter: boolean;
  readonly words: readonly string[];
}

/** Beginnings of paths that are the same for all operations: `/api/v1`, `/rest/api/3`, `/2010-04-01`. */
const COMMON_SEGMENT = /^(?:apis?|rest|openapi|v?\d[\w.-]*)$/i;

function readSegments(path: string): readonly Segment[] {
  const texts = path.split(/[/?#]+/).filter((text) => text !== "");
  const start = texts.findIndex((text) => !COMMON_SEGMENT.test(text));
  return texts.slice(start === -1 ? texts.length : start).map((text) => {
    const isParameter = text.startsWith("{");
    return { isParameter, words: splitName(text.replace(/\.(?:json|xml|ya?ml)$/, "")) };
  });
}

/** Whether words only repeat a path: all of its names, and nothing else. */
function repeatsPath(words: readonly string[], path: string): boolean {
  const segments = readSegments(path);
  const given = new Set(words.map(singularOf));
  const known = new Set(["by", "id", ...segments.flatMap((segment) => segment.words.map(singularOf))]);
  const names = segments.flatMap(({ isParameter, words: own }) => (isParameter ? [] : own.map(singularOf)));
  return [...given].every((word) => known.has(word)) && names.every((word) => given.has(word));
}

function nameOfPath(method: string, path: string): readonly string[] {
  const segments = readSegments(path);
  const names = segments.filter(({ isParameter, words }) => !isParameter && words.length > 0);
  const last = segments.at(-1);
  const lastName = names.at(-1)?.words ?? [];
  if (lastName.length === 0) return [verbOf(method, last?.isParameter === true, false), "root"];
  const before = names.slice(0, -1).flatMap(({ words }) => singular(words));
  if (last?.isParameter !== true && before.length > 0 && isAction(method, lastName[0])) {
    const object = PLURAL_VERBS.has(lastName[0]!) ? [...before.slice(0, -1), names.at(-2)!.words.at(-1)!] : before;
    return [lastName[0]!, ...object, ...lastName.slice(1)];
  }
  const verb = verbOf(method, last?.isParameter === true, isPlural(lastName.at(-1)!));
  const isOne = last?.isParameter === true || verb === "create";
  return [verb, ...before, ...(isOne ? singular(lastName) : lastName), ...describeKey(segments)];
}

/** `/disputes/{id}/close` closes one. What is only read is a noun: `/charges/{id}/dispute`. */
function isAction(method: string, word: string | undefined): boolean {
  return isVerb(word) && (method !== "GET" || word === "search" || word === "download" || word === "export");
}

function verbOf(method: string, isOne: boolean, isMany: boolean): string {
  switch (method) {
    case "GET":
      return isMany && !isOne ? "list" : "get";
    case "POST":
      return isOne ? "update" : "create";
    case "PUT":
      return "replace";
    case "PATCH":
      return "update";
    case "HEAD":
      return "check";
    default:
      return splitName(method)[0] ?? "call";
  }
}

/** Tells `/gists/{id}/{sha}` from `/gists/{id}`. `/repos/{owner}/{repo}` is a repo by nothing else. */
function describeKey(segments: readonly Segment[]): readonly string[] {
  const [before, last] = segments.slice(-2);
  if (before?.isParameter !== true || last?.isParameter !== true) return [];
  const name = segments.findLast(({ isParameter }) => !isParameter)?.words ?? [];
  const isRepeated = last.words.join("_").startsWith(singular(name).join("_"));
  return isRepeated ? [] : ["by", ...last.words];
}
