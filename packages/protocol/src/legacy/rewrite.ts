/** Small functions that rewrite values, and the members that revisions lack. */

import {
  covers,
  LEGACY,
  type Lifespan,
  type Revision,
  SINCE_2025_03,
  SINCE_2025_06,
  SINCE_2025_11,
  SINCE_2026_07,
} from "../revisions/revision.ts";

/** Translates a value into a revision. `undefined` means that nothing has to change, so that callers can skip it. */
export type Rewrite<T> = ((value: T) => T) | undefined;

/** Runs one rewrite after the other. */
export function chain<T>(...steps: readonly Rewrite<T>[]): Rewrite<T> {
  return steps.reduce((first, second) => {
    if (first === undefined || second === undefined) return first ?? second;
    return (value) => second(first(value));
  }, undefined);
}

/** Rewrites all items of an array, which stays the same array if none changes. */
export function each<T>(rewrite: (value: T) => T): (items: readonly T[]) => readonly T[];
export function each<T>(rewrite: Rewrite<T>): Rewrite<readonly T[]>;
export function each<T>(rewrite: Rewrite<T>): Rewrite<readonly T[]> {
  if (rewrite === undefined) return undefined;
  return (items) => {
    let copy: T[] | undefined;
    items.forEach((item, index) => {
      const rewritten = rewrite(item);
      if (rewritten === item) return;
      copy ??= items.slice();
      copy[index] = rewritten;
    });
    return copy ?? items;
  };
}

type ValueMap<T> = { readonly [key: string]: T };

/** Rewrites all values of a map, which stays the same object if none changes. */
export function values<T>(rewrite: (value: T) => T): (map: ValueMap<T>) => ValueMap<T>;
export function values<T>(rewrite: Rewrite<T>): Rewrite<ValueMap<T>>;
export function values<T>(rewrite: Rewrite<T>): Rewrite<ValueMap<T>> {
  if (rewrite === undefined) return undefined;
  return (map) => {
    const entries = Object.entries(map);
    const rewritten = entries.map(([key, value]): [string, T] => [key, rewrite(value)]);
    return entries.every(([, value], index) => value === rewritten[index]?.[1]) ? map : Object.fromEntries(rewritten);
  };
}

/** Rewrites one member where it is present; the object stays the same if the member does. */
export function member<T extends object, K extends keyof T>(key: K, rewrite: Rewrite<NonNullable<T[K]>>): Rewrite<T> {
  if (rewrite === undefined) return undefined;
  return (value) => {
    const before = value[key];
    if (before === undefined || before === null) return value;
    const after = rewrite(before);
    return after === before ? value : { ...value, [key]: after };
  };
}

/** The same object without some of its members, all of which are optional in its type. */
export function omit<T extends object>(value: T, fields: readonly string[]): T {
  for (const field of fields) {
    if (field in value) {
      return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key))) as T;
    }
  }
  return value;
}

/** A type of the model whose members differ between revisions. */
export type Thing =
  | "result"
  | "tool"
  | "listed"
  | "promptArgument"
  | "promptReference"
  | "completeParams"
  | "progressParams"
  | "annotations"
  | "content"
  | "resourceContents"
  | "root"
  | "createMessageParams"
  | "elicitParams"
  | "formSchema"
  | "implementation"
  | "serverCapabilities"
  | "clientCapabilities"
  | "elicitationCapability"
  | "samplingCapability"
  | "rootsCapability";

/**
 * The members that not all revisions have; all others exist everywhere. Two kinds of members are never left
 * out: capabilities that no revision describes, since the set is open in each of them, and `extensions`, which
 * hosts of 2025-11-25 read as well.
 */
const FIELDS: { readonly [T in Thing]: { readonly [field: string]: Lifespan } } = {
  result: { resultType: SINCE_2026_07, ttlMs: SINCE_2026_07, cacheScope: SINCE_2026_07 },
  tool: {
    title: SINCE_2025_06,
    outputSchema: SINCE_2025_06,
    annotations: SINCE_2025_03,
    icons: SINCE_2025_11,
    _meta: SINCE_2025_06,
  },
  /** A resource, template or prompt as it is listed. */
  listed: { title: SINCE_2025_06, icons: SINCE_2025_11, _meta: SINCE_2025_06 },
  promptArgument: { title: SINCE_2025_06 },
  promptReference: { title: SINCE_2025_06 },
  completeParams: { context: SINCE_2025_06 },
  progressParams: { message: SINCE_2025_03 },
  annotations: { lastModified: SINCE_2025_06 },
  content: { icons: SINCE_2025_11, _meta: SINCE_2025_06 },
  resourceContents: { _meta: SINCE_2025_06 },
  root: { _meta: SINCE_2025_06 },
  createMessageParams: { tools: SINCE_2025_11, toolChoice: SINCE_2025_11 },
  elicitParams: { mode: SINCE_2025_11, elicitationId: { since: "2025-11-25", until: "2025-11-25" } },
  formSchema: { $schema: SINCE_2025_11 },
  implementation: {
    title: SINCE_2025_06,
    description: SINCE_2025_11,
    websiteUrl: SINCE_2025_11,
    icons: SINCE_2025_11,
  },
  serverCapabilities: { completions: SINCE_2025_03 },
  clientCapabilities: { elicitation: SINCE_2025_06 },
  elicitationCapability: { form: SINCE_2025_11, url: SINCE_2025_11 },
  samplingCapability: { tools: SINCE_2025_11, context: SINCE_2025_11 },
  rootsCapability: { listChanged: LEGACY },
};

/** Leaves out the members that a revision does not have. */
export function knownFields<T extends object>(revision: Revision, thing: Thing): Rewrite<T> {
  const absent = Object.entries(FIELDS[thing])
    .filter(([, lifespan]) => !covers(lifespan, revision))
    .map(([field]) => field);
  return absent.length === 0 ? undefined : (value) => omit(value, absent);
}
