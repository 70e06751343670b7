import { UsageError, type JsonObject } from "@toolwire/protocol";
import { describeValue, isObject } from "@toolwire/protocol/internal";
import { isSkillName, type SkillFrontmatter } from "@toolwire/protocol/skills";

/** Keys of `metadata` that only extensions of the protocol may define. None has defined any so far. */
const RESERVED = "io.modelcontextprotocol/";

const LONGEST: ReadonlyMap<string, number> = new Map<string, number>([
  ["description", 1024],
  ["compatibility", 500],
]);

/** What is wrong with front matter. */
export interface FieldProblem {
  /** The field; `undefined` if it is missing. */
  readonly field?: string;
  /** The rest of a sentence. */
  readonly problem: string;
}

/**
 * Looks for what the specification of Agent Skills, or the extension, does not allow. Unknown fields are left to whoever knows them.
 */
export function findFieldProblem(fields: { readonly [field: string]: unknown }): FieldProblem | undefined {
  const { name, description, metadata } = fields;
  if (typeof name !== "string" || !isSkillName(name)) {
    const problem = `\`name\` must be 1 to 64 lower-case letters, digits and single hyphens between them, such as "pdf-forms"; got ${describeValue(name)}`;
    return { ...(name !== undefined && { field: "name" }), problem };
  }
  if (description === undefined) {
    return { problem: "`description` is missing: say what the skill is for, and when to use it" };
  }
  for (const [field, most] of LONGEST) {
    const text = fields[field];
    if (text === undefined || (typeof text === "string" && text.trim() !== "" && [...text].length <= most)) continue;
    return { field, problem: `\`${field}\` must be text of 1 to ${most} characters; got ${describeValue(text)}` };
  }
  for (const field of ["license", "allowed-tools"]) {
    const text = fields[field];
    if (text === undefined || typeof text === "string") continue;
    return { field, problem: `\`${field}\` must be text; got ${describeValue(text)}` };
  }
  if (metadata === undefined) return undefined;
  if (!isObject(metadata)) {
    return { field: "metadata", problem: `\`metadata\` must map names to values; got ${describeValue(metadata)}` };
  }
  const reserved = Object.keys(metadata).find((key) => key.startsWith(RESERVED));
  if (reserved === undefined) return undefined;
  const problem = `\`metadata\` has the key "${reserved}", and names that begin with "${RESERVED}" are reserved for extensions of the protocol: begin it with a domain of your own`;
  return { field: "metadata", problem };
}

/** Checks front matter. Returns a copy, which nobody else can change. */
export function readFields(given: unknown): SkillFrontmatter {
  if (!isObject(given)) throw invalid("`frontmatter` must be an object with `name` and `description`");
  const found = findFieldProblem(given);
  if (found !== undefined) throw invalid(found.problem);
  return copyJson(given, "frontmatter", 0) as SkillFrontmatter;
}

/** The deepest nesting of front matter, which readers of YAML follow. */
const MAX_DEPTH = 32;

/** The longest name of a field. YAML stops looking for the end of a name after 1024 characters. */
const MAX_NAME = 256;

/** The most characters of front matter that is written here. */
const MAX_LENGTH = 32 * 1024;

function copyJson(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid(`\`${path}\` is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((item, index) => copyJson(item, `${path}[${index}]`, depth + 1));
  if (isObject(value) && isPlain(value)) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [expectName(key, path), copyJson(member, `${path}.${key}`, depth + 1)] as const);
    return Object.fromEntries(members);
  }
  if (typeof value === "string") return wellFormed(value, path);
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value;
  throw invalid(`\`${path}\` must be something that JSON can say; got ${describeValue(value)}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function expectName(key: string, path: string): string {
  if (key.length > MAX_NAME) throw invalid(`\`${path}\` has a name of more than ${MAX_NAME} characters`);
  return wellFormed(key, path);
}

function wellFormed(text: string, path: string): string {
  if (/\p{Surrogate}/u.test(text)) throw invalid(`\`${path}\` has half of a surrogate pair`);
  return text;
}

/**
 * Writes front matter: one field a line, each value as JSON, which is YAML as well. Characters that older readers of YAML take for line
 * breaks, or refuse, are escaped.
 */
export function writeFrontmatter(fields: JsonObject): string {
  const lines = Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const yaml = lines.map((line) => line.replace(/^"(name|description|license|compatibility|metadata)"/, "$1"));
  const escaped = yaml.join("\n").replaceAll(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, escapeCharacter);
  if (escaped.length > MAX_LENGTH) throw invalid(`\`frontmatter\` has more than ${MAX_LENGTH} characters`);
  return `---\n${escaped}\n---\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function invalid(problem: string): UsageError {
  return new UsageError("INVALID_DEFINITION", `This skill cannot be served: ${problem}.`);
}
