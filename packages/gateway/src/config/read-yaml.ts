import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import type { ConfigPath, ConfigProblem } from "./problem.ts";

/** A YAML document that knows where its values are. JSON is YAML, too. */
export interface YamlSource {
  /** Whether the text could be read. Names that are used twice do not keep it from that: the last one counts. */
  readonly isRead: boolean;
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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false });
  const problems = document.errors.map(({ message, pos }): ConfigProblem => {
    const { line, col } = lines.linePos(pos[0]);
    return { severity: "error", path: [], message: explain(message), file, line, column: col };
  });
  if (problems.length > 0) return unreadable(problems);
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const locate: YamlSource["locate"] = (problem, onKey) => place(document, lines, file, problem, onKey);
    return { isRead: true, value, problems: findDuplicates(document, lines, file), locate };
  } catch (error) {
    // Aliases that multiply into something huge.
    return unreadable([
      { severity: "error", path: [], message: explain((error as Error).message), file, line: 1, column: 1 },
    ]);
  }
}

function unreadable(problems: readonly ConfigProblem[]): YamlSource {
  return { isRead: false, value: undefined, problems, locate: (problem) => problem };
}

/** Messages of the parser have several lines, and quote the text, in which credentials may be. */
function explain(message: string): string {
  const [first = ""] = message.split("\n");
  return `This is not valid YAML: ${first.replace(/:? *".*"/, "").slice(0, 200)}`;
}

/** Names that an object has twice. Each is reported where it is repeated. */
function findDuplicates(document: Document, lines: LineCounter, file: string | undefined): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) {
          const { line, col } = lines.linePos(startOf(key) ?? 0);
          const message = "This name is used twice in one object. Remove one of the two.";
          problems.push({ severity: "error", path: [], message, file, line, column: col });
        }
        seen.add(name);
      }
    },
  });
  return problems;
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
      const pair = node.items.findLast(
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
