/**
 * The path and the fixed query of a URL, from a template such as `/users/{id}?view=full`.
 *
 * A value must stay in its segment. Encoding alone does not see to that: URL parsers remove the segments `.` and `..` however
 * they are encoded (WHATWG URL, "double-dot URL path segment"), and some servers decode `%2F` before they look for a route.
 */
import { UsageError } from "@toolwire/protocol";
import { isPresent, refuseArgument } from "./arguments.ts";
import { encodeReservedInPath, encodeValue, type Encode } from "./encode.ts";
import type { ParameterSpec } from "./request-spec.ts";

/** A value of a template: reads and writes one argument. `undefined`: the argument is absent, or an empty list. */
export interface TemplateSlot {
  readonly name: string;
  readonly label: string;
  write(args: object): string | undefined;
}

/** A part of a template: a literal text, or slots between texts that are one segment or one pair together. */
type Part = string | readonly (string | TemplateSlot)[];

/** A compiled template. */
export interface PathTemplate {
  /** Whether the path has slots, so that it differs from call to call. */
  readonly isDynamic: boolean;
  writePath(args: object): string;
  /** Without the question mark. */
  writeQuery(args: object): string;
}

/** `.`, `..` and nothing, also with tabs and line breaks, which parsers drop, and with a parameter, which some servers cut off. */
const DOTS = /^(?:%0[9ad])*(?:(?:\.|%2e)(?:%0[9ad])*){0,2}$/i;
const DOTS_BEFORE_PARAMETER = /^(?:%0[9ad])*(?:(?:\.|%2e)(?:%0[9ad])*){1,2};/i;

/** The slots that a template may name. In its query, values are encoded differently. */
export interface TemplateSlots {
  readonly inPath: ReadonlyMap<string, TemplateSlot>;
  readonly inQuery: ReadonlyMap<string, TemplateSlot>;
}

/** Compiles a template. */
export function compilePath(template: string, slots: TemplateSlots): PathTemplate {
  if (!template.startsWith("/") || template.includes("#")) {
    throw new UsageError("INVALID_DEFINITION", `The path "${template}" must begin with "/" and have no "#".`);
  }
  const queryAt = findQuery(template);
  const path = mergeTexts(splitSegments(parseTemplate(template.slice(0, queryAt), slots.inPath, template)));
  const pairs = template.slice(queryAt + 1).split("&");
  const query = pairs.filter((pair) => pair !== "").map((pair) => parseTemplate(pair, slots.inQuery, template));
  expectNoDots(path, template);
  return {
    isDynamic: path.some((part) => typeof part !== "string"),
    writePath: (args) => writePath(path, args),
    writeQuery: (args) => writeQuery(query, args),
  };
}

/** Encodes a value of a path, and refuses separators unless they are allowed. */
export function pathEncoder({ allowReserved, pathSeparators = "refuse" }: ParameterSpec): Encode {
  const encode = allowReserved === true ? encodeReservedInPath : encodeValue;
  if (pathSeparators === "encode") {
    return (text, label) => {
      // A server that decodes separators before it looks for a route would climb.
      if (text.split(/[/\\]/).some(isDots) && /[/\\]/.test(text)) {
        throw refuseArgument(label, 'it is a part of a path and must not contain the segments "." and ".."');
      }
      return encode(text, label);
    };
  }
  if (pathSeparators === "keep") {
    return (text, label) => {
      if (text.includes("\\")) throw refuseArgument(label, 'it is a part of a path and must not contain "\\"');
      return text
        .split("/")
        .map((segment) => encode(segment, label))
        .join("/");
    };
  }
  return (text, label) => {
    if (!/[/\\]/.test(text)) return encode(text, label);
    throw refuseArgument(label, 'it is one segment of a path and must not contain "/" or "\\"');
  };
}

/** Whether a value is `.` or `..` once tabs and line breaks are dropped, as parsers of URLs do. */
function isDots(value: string): boolean {
  return /^\.{1,2}$/.test(value.replaceAll(/[\t\r\n]/g, ""));
}

/** The place of the question mark, if it is not in the name of a slot; else the end. */
function findQuery(template: string): number {
  return /^(?:[^?{]|\{[^}]*\}?)*/.exec(template)![0].length;
}

function parseTemplate(
  text: string,
  slots: ReadonlyMap<string, TemplateSlot>,
  template: string,
): (string | TemplateSlot)[] {
  const parts: (string | TemplateSlot)[] = [];
  for (const [, literal = "", name] of text.matchAll(/([^{]*)(?:\{([^{}]*)\}|$)/g)) {
    if (literal !== "") parts.push(encodeLiteral(literal, template));
    if (name === undefined) continue;
    const slot = slots.get(name);
    if (slot === undefined) {
      throw new UsageError("INVALID_DEFINITION", `"{${name}}" in "${template}" names no parameter of the path.`);
    }
    parts.push(slot);
  }
  if (/\{[^}]*$/.test(text)) {
    throw new UsageError("INVALID_DEFINITION", `A "{" in "${template}" is never closed; add "}".`);
  }
  return parts;
}

/** Encodes the fixed text of a template where somebody wrote it as people read it. What is encoded already stays so. */
function encodeLiteral(literal: string, template: string): string {
  if (/[}\\]/.test(literal)) {
    throw new UsageError("INVALID_DEFINITION", `"${template}" must not contain "\\" or a "}" that closes nothing.`);
  }
  try {
    return literal.replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~:/?[\]@!$&'()*+,;=%]+/g, (run) => encodeURIComponent(run));
  } catch {
    throw new UsageError("INVALID_DEFINITION", `"${template}" holds half of a surrogate pair.`);
  }
}

/** Groups the parts of each segment that has a slot, so that the segment can be checked as a whole. */
function splitSegments(parts: readonly (string | TemplateSlot)[]): Part[] {
  const segments: (string | TemplateSlot)[][] = [[]];
  for (const part of parts) {
    if (typeof part !== "string") {
      segments.at(-1)!.push(part);
      continue;
    }
    for (const [index, text] of part.split("/").entries()) {
      if (index > 0) segments.push([]);
      if (text !== "") segments.at(-1)!.push(text);
    }
  }
  return segments.flatMap((segment, index): Part[] => {
    const isFixed = segment.every((part) => typeof part === "string");
    const part: Part = isFixed ? segment.join("") : segment;
    return index === 0 ? [part] : ["/", part];
  });
}

function mergeTexts(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string") merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged;
}

function expectNoDots(path: readonly Part[], template: string): void {
  const isDotted = path
    .filter((part) => typeof part === "string")
    .some((text) => text.split("/").some((segment) => segment !== "" && DOTS.test(segment)));
  if (isDotted) throw new UsageError("INVALID_DEFINITION", `"${template}" must not contain the segments "." and "..".`);
}

function writePath(parts: readonly Part[], args: object): string {
  let path = "";
  for (const part of parts) path += typeof part === "string" ? part : writeSegment(part, args);
  return path;
}

function writeSegment(parts: readonly (string | TemplateSlot)[], args: object): string {
  let segment = "";
  for (const part of parts) {
    if (typeof part === "string") segment += part;
    else {
      const written = part.write(args);
      if (!isPresent(written)) throw refuseArgument(part.label, "it is missing or empty, and is a part of the path");
      segment += written;
    }
  }
  // Several segments come from values that may contain slashes.
  for (const single of segment.includes("/") ? segment.split("/") : [segment]) {
    if (!DOTS.test(single) && !DOTS_BEFORE_PARAMETER.test(single)) continue;
    const { label } = parts.find((part) => typeof part !== "string")!;
    throw refuseArgument(label, 'it is a part of a path, and a segment of a path must not be empty, "." or ".."');
  }
  return segment;
}

/** The pairs of the template's own query. A pair with an absent value is left out. */
function writeQuery(pairs: readonly (readonly (string | TemplateSlot)[])[], args: object): string {
  let query = "";
  for (const pair of pairs) {
    let text: string | undefined = "";
    for (const part of pair) {
      const written: string | undefined = typeof part === "string" ? part : part.write(args);
      text = text === undefined || written === undefined ? undefined : text + written;
    }
    if (text !== undefined) query += query === "" ? text : `&${text}`;
  }
  return query;
}
