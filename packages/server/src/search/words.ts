/** Words in names and texts: where one ends and the next begins, and which of them are the same. */

/** Words of which every letter counts, although they look like plurals. */
const NO_PLURALS: ReadonlySet<string> = new Set([
  "always",
  "analytics",
  "atlas",
  "bias",
  "canvas",
  "chaos",
  "dns",
  "gas",
  "has",
  "https",
  "ios",
  "its",
  "kubernetes",
  "news",
  "sales",
  "series",
  "sms",
  "species",
  "this",
  "tls",
  "was",
  "yes",
]);

/** Plurals that no rule finds. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["children", "child"],
  ["ids", "id"],
  ["indexes", "index"],
  ["indices", "index"],
  ["matrices", "matrix"],
  ["movies", "movie"],
  ["people", "person"],
  ["vertices", "vertex"],
]);

/**
 * The words of a name, in lower case: `listUserRepos`, `list_user_repos` and `ListUserREPOs` have the same three. Only letters and
 * digits of ASCII are part of words, because names of tools may have no others.
 */
export function splitName(name: string): readonly string[] {
  const spaced = name
    .replaceAll("OAuth", "Oauth")
    .replaceAll(/([A-Z]{2})s(?![a-z])/g, "$1S")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return spaced.toLowerCase().match(/[a-z\d]+/g) ?? [];
}

/** The singular of a word in lower case. A word that is no plural is returned as it is. */
export function singularOf(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word) || NO_PLURALS.has(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|zz|tus|rus)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Whether a word in lower case is a plural. */
export function isPlural(word: string): boolean {
  return singularOf(word) !== word;
}
