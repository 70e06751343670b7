import type { DocumentModel } from "../document/model.ts";
import type { SkipKind } from "./imported-operation.ts";
import { cleanLine } from "../schema/describe.ts";

/** The outcome of one operation of a document. */
export interface OperationReport {
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** `tool`: imported as it is. `changed`: imported, and the notes say what is different. `skipped`: no tool. */
  readonly outcome: "tool" | "changed" | "skipped";
  /** Why it was skipped, in one word; the notes say more. */
  readonly skipped?: SkipKind | undefined;
  /** The name of the tool. Absent if there is none. */
  readonly name?: string | undefined;
  /** The reasons for a skip, or the changes. */
  readonly notes: readonly string[];
  /** The size of the listing as JSON. */
  readonly bytes: number;
  /** The names of the security schemes whose credentials are sent. */
  readonly schemes: readonly string[];
}

/** The outcome of an import: what became a tool, what did not, and why. */
export interface ImportReport {
  readonly title: string | undefined;
  /** The version of OpenAPI, such as `3.0.3` or `2.0`. */
  readonly openapi: string;
  readonly operations: readonly OperationReport[];
  /** How many operations became tools, with and without changes. */
  readonly tools: number;
  readonly changed: number;
  readonly skipped: number;
  /** The size of all listings as JSON: what a client that lists the tools has to read. */
  readonly bytes: number;
  /** `bytes / 4`: about the number of tokens that a model reads. */
  readonly tokens: number;
  /** How often each schema keyword was left out, because JSON Schema 2020-12 does not have it or its value is not valid. */
  readonly unsupportedKeywords: { readonly [keyword: string]: number };
  /** The hosts that requests go to. */
  readonly hosts: readonly string[];
  /** The security schemes of the document, and which of them have a credential. */
  readonly schemes: readonly SchemeReport[];
  /** Problems of the document as a whole: too many tools, schemes without a credential. */
  readonly warnings: readonly string[];
}

/** A security scheme of a document in a report. */
export interface SchemeReport {
  readonly name: string;
  readonly kind: string;
  readonly state: "used" | "not configured" | "unsupported" | "unused";
}

/** Sizes of tool lists in bytes: from the first on, a warning; from the second on, the advice to use search mode. */
const LARGE = 100 * 1024;
const VERY_LARGE = 400 * 1024;

/** Adds up the outcomes of all operations. */
export function summarize(
  model: DocumentModel,
  operations: readonly OperationReport[],
  found: {
    readonly unsupported: ReadonlyMap<string, number>;
    readonly hosts: readonly string[];
    readonly schemes: readonly SchemeReport[];
    readonly warnings: readonly string[];
  },
): ImportReport {
  const count = (outcome: OperationReport["outcome"]): number =>
    operations.filter((operation) => operation.outcome === outcome).length;
  const bytes = operations.reduce((sum, operation) => sum + operation.bytes, 0);
  const tokens = Math.ceil(bytes / 4);
  const changed = count("changed");
  const tools = count("tool") + changed;
  const size = `${tools} tools are ${Math.round(bytes / 1024)} KiB, about ${tokens} tokens, in every conversation.`;
  const advice =
    bytes > VERY_LARGE
      ? [`${size} Use \`mode: "search"\`, or choose with \`include\`.`]
      : bytes > LARGE
        ? [`${size} Choose with \`include\`.`]
        : [];
  const missing = found.schemes.filter(({ state }) => state === "not configured" || state === "unsupported");
  return {
    title: model.title,
    openapi: model.openapi,
    operations,
    tools,
    changed,
    skipped: count("skipped"),
    bytes,
    tokens,
    unsupportedKeywords: Object.fromEntries(found.unsupported),
    hosts: found.hosts,
    schemes: found.schemes,
    warnings: [
      ...(tools === 0 && operations.length > 0 ? [describeNothing(operations)] : []),
      ...found.warnings,
      ...missing.map(({ name, kind, state }) => `The security scheme "${name}" (${kind}) is ${state}.`),
      ...advice,
    ],
  };
}

/** Names the most frequent reason, if no operation became a tool. */
function describeNothing(operations: readonly OperationReport[]): string {
  const counts = new Map<string, number>();
  for (const { notes } of operations) counts.set(notes[0] ?? "", (counts.get(notes[0] ?? "") ?? 0) + 1);
  const [[reason, count] = ["", 0]] = [...counts].toSorted(([, one], [, other]) => other - one);
  return `None of ${operations.length} operations became a tool. For ${count} of them: ${reason}`;
}

/**
 * Writes a report as text for a terminal.
 *
 * @example
 * ```ts
 * const { report } = toolsFromOpenApi(document, { baseUrl });
 * console.error(formatReport(report));
 * ```
 */
export function formatReport(report: ImportReport): string {
  const { title, openapi, tools, changed, skipped, bytes, tokens } = report;
  const lines = [
    `${title ?? "API without a title"} (OpenAPI ${openapi})`,
    `${tools} tools (${changed} of them changed), ${skipped} skipped; ${bytes} bytes, about ${tokens} tokens`,
    `hosts: ${report.hosts.join(", ") || "none"}`,
    ...report.schemes.map(({ name, kind, state }) => `security: ${name} (${kind}), ${state}`),
    ...report.warnings.map((warning) => `warning: ${warning}`),
  ];
  const keywords = Object.entries(report.unsupportedKeywords);
  if (keywords.length > 0) {
    lines.push(`left out of schemas: ${keywords.map(([keyword, count]) => `${keyword} (${count})`).join(", ")}`);
  }
  for (const { outcome, method, path, name, notes, bytes: size } of report.operations) {
    const subject = name === undefined ? `${method} ${path}` : `${name} (${method} ${path}, ${size} bytes)`;
    lines.push(`${outcome.padEnd(7)} ${subject}${notes.length === 0 ? "" : `: ${notes.join(" ")}`}`);
  }
  // Names and paths are the document's, and may try to control the terminal.
  return `${lines.map((line) => cleanLine(line, 1_000)).join("\n")}\n`;
}
