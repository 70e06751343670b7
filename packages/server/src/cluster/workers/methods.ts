import { isObject } from "@toolwire/protocol/internal";
import type { Cluster } from "../cluster.ts";

/** The kinds of arguments that travel between processes. */
type Kind = "text" | "text?" | "texts" | "number" | "object" | "objects";

/** The methods of the engine that workers call, with their arguments. `bus.request` has a deadline of its own. */
const METHODS: { readonly [name: string]: readonly Kind[] } = {
  "sessions.create": ["object", "number", "object"],
  "sessions.get": ["text"],
  "sessions.touch": ["text", "number"],
  "sessions.update": ["text", "object"],
  "sessions.claim": ["text", "object"],
  "sessions.release": ["text", "number"],
  "sessions.end": ["text"],
  "events.append": ["text", "text", "objects", "object"],
  "events.read": ["text", "text", "number", "number"],
  "events.takeOver": ["text", "text", "number"],
  "events.forget": ["text", "text"],
  "limits.take": ["text", "object"],
  "once.claim": ["text", "number"],
  "keys.list": [],
  "keys.add": ["object", "text?"],
  "keys.remove": ["text"],
  "bus.request": ["text", "object", "object"],
  "bus.broadcast": ["object"],
  "bus.announce": ["texts"],
  "bus.changesAfter": ["text", "number"],
  close: [],
};

const UNKNOWN_CALL = "A worker has called what the engine does not have. Do all processes run the same version?";

/** Carries out a call of a worker. Throws if it is not one: a worker runs code of another version, perhaps. */
export function callEngine(engine: Cluster, method: string, given: readonly unknown[]): Promise<unknown> {
  const kinds = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  const fits =
    kinds !== undefined && given.length <= kinds.length && kinds.every((kind, index) => isOf(kind, given[index]));
  if (!fits) throw new TypeError(UNKNOWN_CALL);
  const path = method.split(".");
  const name = path.pop() ?? "";
  const [store] = path;
  const target: unknown = store === undefined ? engine : Reflect.get(engine, store);
  const act: unknown = isObject(target) ? Reflect.get(target, name) : undefined;
  if (typeof act !== "function") throw new TypeError(`The engine has no ${method}.`);
  // JSON has no `undefined` in lists.
  const args = given.map((each) => each ?? undefined);
  return Promise.resolve(Reflect.apply(act, target, args) as unknown);
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "text?") return value === null || value === undefined || typeof value === "string";
  if (kind === "text") return typeof value === "string";
  if (kind === "number") return typeof value === "number";
  if (kind === "object") return isObject(value);
  if (!Array.isArray(value)) return false;
  return value.every((each) => (kind === "texts" ? typeof each === "string" : isObject(each)));
}

/** Replaces numbers that JSON does not have. No limit is as good as a very large one. */
export function toFinite(value: unknown): unknown {
  if (typeof value === "number") return Math.min(value, Number.MAX_SAFE_INTEGER);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === "number" ? Math.min(each, Number.MAX_SAFE_INTEGER) : each,
    ]),
  );
}
