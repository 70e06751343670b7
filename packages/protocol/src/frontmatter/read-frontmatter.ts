import { isMap, isScalar, Lexer, LineCounter, parseAllDocuments, visit, type Document } from "yaml";
import { isObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { splitFrontmatter } from "./split-frontmatter.ts";

/** The front matter of a file, and what follows it. */
export interface Frontmatter {
  readonly fields: JsonObject;
  readonly body: string;
}

/** Why the front matter of a file cannot be read. */
export interface FrontmatterProblem {
  /** A sentence. */
  readonly problem: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The most characters of front matter. The parser is recursive, and looks ahead: with this length, and {@link MAX_DEPTH}, it needs
 * milliseconds and little of the stack, whatever the text is.
 */
const MAX_LENGTH = 64 * 1024;

/** The deepest nesting, of lists and maps together. */
const MAX_DEPTH = 32;

/** How often aliases (`*name`) may repeat what they stand for. */
const MAX_ALIASES = 100;

/**
 * Reads the front matter of a Markdown file: YAML 1.2 that can be said in JSON. `yes` and `2026-01-01` are texts, and `<<` is a key
 * like others. Aliases are resolved.
 */
export function readFrontmatter(text: string): Frontmatter | FrontmatterProblem {
  const parts = splitFrontmatter(text);
  if (parts === undefined) {
    return at(1, 1, "It does not begin with front matter: a line `---`, YAML, and another line `---`.");
  }
  const { yaml, body } = parts;
  if (yaml.length > MAX_LENGTH) return at(1, 1, `Its front matter has more than ${MAX_LENGTH} characters.`);
  // With its first line, positions are those of the file, and a line that begins with `%` is no directive.
  const source = `---\n${yaml}`;
  if (isDeep(source)) return at(1, 1, `Its front matter is nested more than ${MAX_DEPTH} levels deep.`);
  const lines = new LineCounter();
  // Looking for repeated keys takes the parser quadratic time. `silent`: it would print warnings, too.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: "silent" } as const;
  const documents = parseAllDocuments(source, options);
  const locate = (offset: number, problem: string): FrontmatterProblem => {
    const { line, col } = lines.linePos(offset);
    return at(line, col, problem);
  };
  const [document, second] = documents as Document.Parsed[];
  if (document === undefined) return at(1, 1, "Its front matter is empty.");
  const mistake = document.errors[0] ?? document.warnings[0];
  if (mistake !== undefined) {
    return locate(mistake.pos[0], `Its front matter is not valid YAML: ${firstLine(mistake.message)}.`);
  }
  if (second !== undefined) return locate(second.range[0], "Its front matter is more than one YAML document.");
  return findRepeated(document, locate) ?? toFields(document, body, locate);
}

function toFields(
  document: Document.Parsed,
  body: string,
  locate: (offset: number, problem: string) => FrontmatterProblem,
): Frontmatter | FrontmatterProblem {
  const { contents } = document;
  const start = contents?.range[0] ?? 0;
  let fields: unknown;
  try {
    fields = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return locate(start, `Its front matter has an alias without an anchor, or more than ${MAX_ALIASES} aliases.`);
  }
  if (!isMap(contents) || !isObject(fields)) return locate(start, "Its front matter has no fields, such as `name`.");
  const foreign = findForeign(fields, "", 0);
  if (foreign !== undefined) {
    const [field = ""] = foreign.split(/[.[]/, 1);
    const pair = contents.items.find(({ key }) => isScalar(key) && String(key.value) === field);
    return locate(pair?.key.range[0] ?? start, `\`${foreign}\` is something that JSON cannot say.`);
  }
  return { fields: fields as JsonObject, body };
}

/** The path of the first value that JSON cannot say: infinity, what contains itself, or what is too deep. */
function findForeign(value: unknown, path: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return path;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = findForeign(item, `${path}[${index}]`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(value)) {
    if (Object.getPrototypeOf(value) !== Object.prototype) return path;
    for (const [key, member] of Object.entries(value)) {
      const found = findForeign(member, path === "" ? key : `${path}.${key}`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isFlat(value) ? undefined : path;
}

function isFlat(value: unknown): value is JsonValue {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Refuses keys that a map has twice: readers disagree about which of them counts. */
function findRepeated(
  document: Document.Parsed,
  locate: (offset: number, problem: string) => FrontmatterProblem,
): FrontmatterProblem | undefined {
  let found: FrontmatterProblem | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) {
          found = locate(key.range?.[0] ?? 0, `Its front matter has the field \`${name.slice(0, 80)}\` twice.`);
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return found;
}

/**
 * Whether lists or maps on one line are nested too deeply. Those on several lines need more blanks with each level, which the length
 * of the text limits.
 */
function isDeep(source: string): boolean {
  let depth = 0;
  let indicators = 0;
  for (const token of new Lexer().lex(source)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth = Math.max(0, depth - 1);
    else if (token === "-" || token === "?") indicators += 1;
    else if (token === "\n" || token === "\r\n") indicators = 0;
    if (depth > MAX_DEPTH || indicators > MAX_DEPTH) return true;
  }
  return false;
}

/** The first line of what the parser says, without its full stop. */
function firstLine(message: string): string {
  const [first = ""] = message.split("\n");
  return first.replace(/[.:]$/, "").slice(0, 200);
}

function at(line: number, column: number, problem: string): FrontmatterProblem {
  return { problem, line, column };
}
