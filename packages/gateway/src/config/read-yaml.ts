import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type { ConfigPath, ConfigProblem } from "./problem.ts";

/** A YAML document that knows where its values are. JSON is YAML, too. */
export interface YamlSource {
  /** The value; `undefined` if the text could not be read. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** Adds file, line and column to a problem. `onKey` points at the name of a member instead of its value. */
  locate(problem: ConfigProblem, onKey?: boolean): ConfigProblem;
}

/** The most characters of a configuration file: it may contain many tools, but no OpenAPI document. */
const MAX_LENGTH = 20 * 1024 * 1024;

/** Reads YAML. Syntax errors become problems with their places. */
export function readYaml(text: string, file?: string): YamlSource {
  const lines = new LineCounter();
  if (text.length > MAX_LENGTH) {
    const message = `The file has more than ${MAX_LENGTH} characters. Keep OpenAPI documents in files of their own.`;
    return unreadable([{ severity: "error", path: [], message, file }]);
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: true });
  const problems = document.errors.map(({ message, pos }): ConfigProblem => {
    const { line, col } = lines.linePos(pos[0]);
    return { severity: "error", path: [], message: explain(message), file, line, column: col };
  });
  if (problems.length > 0) return unreadable(problems);
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { value, problems: [], locate: (problem, onKey) => place(document, lines, file, problem, onKey) };
  } catch (error) {
    // Aliases that multiply into something huge.
    return unreadable([
      { severity: "error", path: [], message: explain((error as Error).message), file, line: 1, column: 1 },
    ]);
  }
}

function unreadable(problems: readonly ConfigProblem[]): YamlSource {
  return { value: undefined, problems, locate: (problem) => problem };
}

/** Messages of the parser have several lines, and quote the text, in which credentials may be. */
function explain(message: string): string {
  const [first = ""] = message.split("\n");
  const isDuplicate = first.startsWith("Map keys must be unique");
  if (isDuplicate) return "This name is used twice in one object. Remove one of the two.";
  return `This is not valid YAML: ${first.replace(/:? *".*"/, "").slice(0, 200)}`;
}

function place(
  document: Document,
  lines: LineCounter,
  file: string | undefined,
  problem: ConfigProblem,
  onKey = false,
): ConfigProblem {
  const offset = findOffset(document, problem.path, onKey);
  const { line, col } = lines.linePos(offset);
  return { ...problem, file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The offset of the value at a path, or of the nearest one around it that exists. */
function findOffset(document: Document, path: ConfigPath, onKey: boolean): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, key] of path.entries()) {
    const isLast = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
      );
      if (pair === undefined) return offset;
      const keyStart = startOf(pair.key) ?? offset;
      offset = isLast && !onKey ? (startOf(pair.value) ?? keyStart) : keyStart;
      node = pair.value;
    } else {
      // `get` with `true` returns the node itself, of sequences and of what an alias means.
      const holder = node as { get?: (key: unknown, keepScalar: boolean) => unknown } | null | undefined;
      node = holder?.get?.(key, true);
      offset = startOf(node) ?? offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
