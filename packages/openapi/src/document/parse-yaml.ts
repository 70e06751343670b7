import { UsageError } from "@toolwire/server";
import { Composer, type CST, type Document, isAlias, isScalar, isSeq, Lexer, Parser, visit } from "yaml";
import { MAX_DEPTH } from "./limits.ts";

/** The largest public documents have about a million. Each takes microseconds and about 400 bytes of memory. */
const MAX_TOKENS = 2_000_000;

/** How often all aliases together may repeat one anchor, those inside of it included. */
const MAX_ALIASES = 1_000;

/** How many members merge keys (`<<`) may copy in all. */
const MAX_MERGED = 1_000_000;

/**
 * Reads YAML 1.2: `no` and `2024-01-01` are texts. Merge keys work.
 *
 * The parser is recursive, and a regular expression that it runs at the end of the stack ends the whole process. So the depth
 * is measured before, without recursion: first on tokens, which need no memory, then on the tree of tokens.
 *
 * @throws UsageError with the line of the first mistake
 */
export function parseYaml(text: string): unknown {
  refuseManyTokens(text);
  const tokens = [...new Parser().parse(text)];
  refuseDeepTokens(tokens);
  // Looking for keys that occur twice takes quadratic time; the last one counts, as in JSON.
  const composer = new Composer({ merge: true, uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw invalidDocument("It is empty");
  if (second !== undefined) throw invalidDocument("It holds several YAML documents");
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    throw invalidDocument(`Line ${lineAt(text, mistake.pos[0])}: ${mistake.message.slice(0, 200)}`, mistake);
  }
  if (text.includes("<<")) refuseManyMerges(document);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw invalidDocument(`Its aliases repeat more than ${MAX_ALIASES} times what they stand for`, error);
  }
}

/** The error about a text that cannot be read. */
export function invalidDocument(reason: string, cause?: unknown): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The OpenAPI document cannot be read. ${reason}.`, { cause });
}

/** Refuses nesting on one line, and texts that would need too much memory. Indentation is looked at later. */
function refuseManyTokens(text: string): void {
  let count = 0;
  let depth = 0;
  let indicators = 0;
  for (const token of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) throw invalidDocument(`It has more than ${MAX_TOKENS} parts. As JSON, it could be larger`);
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth = Math.max(0, depth - 1);
    else if (token === "-" || token === "?") indicators += 1;
    else if (token === "\n" || token === "\r\n") indicators = 0;
    if (depth > MAX_DEPTH || indicators > MAX_DEPTH) throw tooDeep();
  }
}

/** Every level of a document is two levels of tokens: a collection and its item. */
function refuseDeepTokens(tokens: readonly CST.Token[]): void {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > 2 * MAX_DEPTH) throw tooDeep();
    level = level.flatMap(tokensIn);
  }
}

function tokensIn(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== undefined && part !== null));
}

/** A merge copies the members of another map, so a few bytes can stand for many members. */
function refuseManyMerges(document: Document): void {
  const sizes = new Map<string, number>();
  let merged = 0;
  visit(document, {
    Map(_, { anchor, items }) {
      if (anchor !== undefined) sizes.set(anchor, items.length);
    },
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.source !== "<<") return;
      for (const source of isSeq(value) ? value.items : [value]) {
        if (isAlias(source)) merged += sizes.get(source.source) ?? 0;
      }
      if (merged > MAX_MERGED) throw invalidDocument(`Its merge keys copy more than ${MAX_MERGED} members`);
    },
  });
}

/** The error about a document that is nested too deeply. */
export function tooDeep(): UsageError {
  return invalidDocument(`It is nested more than ${MAX_DEPTH} levels deep`);
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
