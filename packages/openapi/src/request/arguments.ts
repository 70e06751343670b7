/** Arguments of a call: where they are, and the text of each value. */
import { ToolError } from "@toolwire/server";
import type { ArgumentPath } from "./request-spec.ts";

/** The deepest value that is written member by member. */
const MAX_DEPTH = 64;

/** Reads one argument. `null` and what is absent are the same: there is nothing to send. */
export type ReadArgument = (args: object) => unknown;

/** Compiles the way to an argument. Inherited names such as `constructor` are no arguments. */
export function compileRead(path: ArgumentPath): ReadArgument {
  const [name = ""] = path;
  if (path.length === 1) return (args) => readOwn(args, name);
  return (args) => path.reduce<unknown>(readOwn, args);
}

function readOwn(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: unknown })[name];
}

/** The error that refuses an argument, for the model to read. Nothing has been sent. */
export function refuseArgument(label: string, reason: string): ToolError {
  return new ToolError(`Invalid argument "${label}": ${reason}.`);
}

/** Names an argument in errors. */
export function labelOf(path: ArgumentPath): string {
  return path.join(".");
}

/**
 * A simple value as text: numbers and booleans as JSON has them, lists and objects as JSON text.
 *
 * @throws ToolError if it is a number that JSON does not have
 */
export function textOf(value: unknown, label: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return String(value);
    throw refuseArgument(label, `${value} cannot be sent`);
  }
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  const json = jsonOf(value, label);
  // A schema may have made a date of the argument, which JSON writes as a string.
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/**
 * A value as compact JSON.
 *
 * @throws ToolError if JSON cannot hold it
 */
export function jsonOf(value: unknown, label: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value) as string | undefined;
  } catch {
    // A value that contains itself, or a bigint.
  }
  if (json === undefined) throw refuseArgument(label, "it cannot be written as JSON");
  return json;
}

/** Whether a value has members: a list or an object, but not a date, which is written as text. */
export function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null && !hasOwnText(value);
}

function hasOwnText(value: object): boolean {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === "function" && !Object.hasOwn(value, "toJSON");
}

/** Whether there is a value to send. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The members of a list or an object that have a value. */
export function membersOf(value: object): [name: string, member: unknown][] {
  return Object.entries(value).filter(([, member]) => isPresent(member));
}

/** Refuses values that are nested deeper than anybody needs. */
export function expectDepth(depth: number, label: string): void {
  if (depth > MAX_DEPTH) throw refuseArgument(label, `it is nested deeper than ${MAX_DEPTH} levels`);
}
