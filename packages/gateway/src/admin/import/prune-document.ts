import { isObject, type JsonBody } from "../http/request.ts";

/** An operation by its method, in any case, and its path. */
export interface OperationKey {
  readonly method: string;
  readonly path: string;
}

const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);

/** Containers of definitions that others refer to, as pointers: `components/schemas` has one definition a member. */
const CONTAINERS = [
  ["definitions"],
  ["parameters"],
  ["responses"],
  ...[
    "schemas",
    "responses",
    "parameters",
    "examples",
    "requestBodies",
    "headers",
    "links",
    "callbacks",
    "pathItems",
  ].map((name) => ["components", name]),
];

/**
 * A copy of an OpenAPI document with the chosen operations, and the definitions that they reach. A document may have megabytes
 * of others, which would be stored, sent and read for nothing.
 */
export function pruneDocument(document: JsonBody, chosen: readonly OperationKey[]): JsonBody {
  const paths = prunePaths(isObject(document["paths"]) ? document["paths"] : {}, chosen);
  const roots = Object.entries(document).filter(([name]) => !["paths", "webhooks", "tags"].includes(name));
  const pruned: { [name: string]: unknown } = { ...Object.fromEntries(roots), paths };
  const reached = reach(document, paths);
  for (const container of CONTAINERS) keepReached(pruned, container, reached);
  return pruned;
}

function prunePaths(paths: JsonBody, chosen: readonly OperationKey[]): JsonBody {
  const wanted = new Set(chosen.map(({ method, path }) => `${method.toLowerCase()} ${path}`));
  const kept = Object.entries(paths).flatMap(([path, item]): [string, unknown][] => {
    if (!isObject(item)) return [];
    // A path item that is a reference has its methods elsewhere.
    if (typeof item["$ref"] === "string") {
      return [...wanted].some((key) => key.endsWith(` ${path}`)) ? [[path, item]] : [];
    }
    const members = Object.entries(item).filter(
      ([name]) => !METHODS.has(name.toLowerCase()) || wanted.has(`${name.toLowerCase()} ${path}`),
    );
    return members.some(([name]) => METHODS.has(name.toLowerCase())) ? [[path, Object.fromEntries(members)]] : [];
  });
  return Object.fromEntries(kept);
}

/** The pointers of all definitions that a value refers to, directly or through others. */
function reach(document: JsonBody, from: unknown): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending: unknown[] = [from];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      // Also the values of a discriminator's mapping, which are references that are not called `$ref`.
      const key = value.startsWith("#/") ? definitionOf(value) : undefined;
      if (key === undefined || reached.has(key.text)) continue;
      reached.add(key.text);
      pending.push(lookUp(document, key.parts));
    } else if (Array.isArray(value) || isObject(value)) {
      // One by one: a list may be longer than the arguments that a function takes.
      for (const member of Object.values(value)) pending.push(member);
    }
  }
  return reached;
}

/** The definition that a reference is in: `#/components/schemas/Pet/properties/name` is in the schema `Pet`. */
function definitionOf(reference: string): { readonly text: string; readonly parts: readonly string[] } | undefined {
  const parts = reference.slice(2).split("/").map(unescape);
  const container = CONTAINERS.find((each) => each.every((name, index) => parts[index] === name));
  if (container === undefined || parts.length <= container.length) return undefined;
  const own = parts.slice(0, container.length + 1);
  return { text: JSON.stringify(own), parts: own };
}

function unescape(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A percent sign that encodes nothing stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function lookUp(document: JsonBody, parts: readonly string[]): unknown {
  return parts.reduce<unknown>(
    (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    document,
  );
}

function keepReached(
  pruned: { [name: string]: unknown },
  container: readonly string[],
  reached: ReadonlySet<string>,
): void {
  const name = container.at(-1) ?? "";
  const parent = container.length === 1 ? pruned : pruned["components"];
  if (!isObject(parent) || !isObject(parent[name])) return;
  const kept = Object.fromEntries(
    Object.entries(parent[name]).filter(([key]) => reached.has(JSON.stringify([...container, key]))),
  );
  if (container.length === 1) pruned[name] = kept;
  else pruned["components"] = { ...parent, [name]: kept };
}
