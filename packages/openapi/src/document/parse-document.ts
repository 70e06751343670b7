import { UsageError } from "@toolwire/server";
import { isMembers, type JsonMembers } from "./json-value.ts";
import { MAX_BYTES, MAX_DEPTH, MAX_VALUES } from "./limits.ts";
import { invalidDocument, parseYaml, tooDeep } from "./parse-yaml.ts";

/**
 * Reads a document that is given as an object, or as JSON or YAML in a text or in bytes.
 *
 * @throws UsageError if it cannot be read, or is beyond the limits
 */
export function parseDocument(document: unknown): JsonMembers {
  const text = document instanceof Uint8Array ? decodeBytes(document) : document;
  const value: unknown = typeof text === "string" ? parseText(text) : text;
  if (!isMembers(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "An OpenAPI document is an object, or JSON or YAML as text. " +
        `This is ${value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`}` +
        `${typeof document === "string" ? ": is it the path of a file? Read the file, and pass its text" : ""}.`,
    );
  }
  refuseDeepObjects(value);
  return value;
}

function decodeBytes(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw tooLarge();
  return new TextDecoder().decode(bytes);
}

function parseText(text: string): unknown {
  if (text.length > MAX_BYTES || countBytes(text) > MAX_BYTES) throw tooLarge();
  const start = text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
  if (/^\s*\{/.test(start)) {
    try {
      return JSON.parse(start) as unknown;
    } catch {
      // A flow map of YAML begins in the same way. If it is neither, the YAML parser knows the line of the mistake.
    }
  }
  return parseYaml(start);
}

/** The length of a text as UTF-8. */
export function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // A pair of surrogates has two units and four bytes: two more than counted. Others above U+07FF have three bytes.
    const isInPair = code >= 0xd8_00 && code <= 0xdf_ff;
    bytes += code < 0x8_00 || isInPair ? 1 : 2;
  }
  return bytes;
}

function tooLarge(): UsageError {
  return invalidDocument(`It has more than ${MAX_BYTES / 1024 / 1024} MiB`);
}

/**
 * Measures an object without recursion. Aliases of YAML, and programs, can put one object in many places: each is looked at
 * once, and counts as often as it would be written.
 */
function refuseDeepObjects(root: object): void {
  const measured = new Map<object, Measure | undefined>();
  const stack: { readonly object: object; readonly members: readonly unknown[]; next: number; measure: Measure }[] = [];
  const enter = (object: object): void => {
    if (stack.length >= MAX_DEPTH) throw tooDeep();
    measured.set(object, undefined);
    stack.push({ object, members: Object.values(object), next: 0, measure: { height: 0, values: 1 } });
  };
  enter(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.next >= top.members.length) {
      stack.pop();
      measured.set(top.object, top.measure);
      const parent = stack.at(-1);
      if (parent !== undefined) add(parent.measure, top.measure);
      continue;
    }
    const member = top.members[top.next];
    top.next += 1;
    if (typeof member !== "object" || member === null) add(top.measure, { height: -1, values: 1 });
    else if (!measured.has(member)) enter(member);
    else {
      const known = measured.get(member);
      if (known === undefined) {
        throw invalidDocument(
          "An object contains itself. Pass the document with its references as they are, not resolved",
        );
      }
      if (stack.length + known.height >= MAX_DEPTH) throw tooDeep();
      add(top.measure, known);
    }
  }
}

/** The levels below an object, and the number of values in it, itself included. */
interface Measure {
  height: number;
  values: number;
}

function add(parent: Measure, child: Readonly<Measure>): void {
  parent.height = Math.max(parent.height, child.height + 1);
  parent.values += child.values;
  if (parent.values > MAX_VALUES) {
    throw invalidDocument(
      `It has more than ${MAX_VALUES} values. Pass it with its references as they are, not resolved`,
    );
  }
}
