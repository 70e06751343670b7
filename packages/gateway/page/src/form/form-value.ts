/** Values while they are filled in. An absent value is `undefined`, and is left out of what is sent. */
import type { JsonSchema } from "@toolwire/json-schema";
import { fieldKindOf, follow } from "./field-kind.ts";

/** An object while it is filled in. */
export type Members = { readonly [name: string]: unknown };

/** The value with which a form starts: required objects are there, so that their fields can be seen. */
export function initialValue(schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const followed = follow(schema, root);
  if (typeof followed === "object" && Object.hasOwn(followed, "default") && depth > 0) return undefined;
  const field = fieldKindOf(schema, root, depth);
  if (field.kind !== "object") return depth === 0 ? {} : undefined;
  return setMembers(
    field.members
      .filter(({ isRequired }) => isRequired)
      .map(({ name, schema: member }) => [name, initialValue(member, root, depth + 1)]),
  );
}

/** A copy of an object with another value for one name. `undefined` removes the name. */
export function withMember(value: unknown, name: string, member: unknown): Members {
  const entries = isMembers(value) ? Object.entries(value) : [];
  const isNew = !entries.some(([each]) => each === name);
  const changed = entries.map(([each, old]): [string, unknown] => [each, each === name ? member : old]);
  return setMembers(isNew ? [...changed, [name, member]] : changed);
}

/** A member of an object, whatever its name: `__proto__` is a name like any other. */
export function memberOf(value: unknown, name: string): unknown {
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a value is an object, and no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The place of a member, as the validator writes it: `shipping.address`, `items[2]`, `["odd name"]`. */
export function placeOf(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

function setMembers(entries: readonly (readonly [string, unknown])[]): Members {
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}
