import { childNodes, type SchemaNode } from "../schema-node.ts";

/**
 * Whether ajv is a good choice for a schema: it takes linear time, and agrees with us on what the schema means.
 *
 * With ajv, a recursive schema can take exponential time on a hostile value (each level tries all forms of a union),
 * and `uniqueItems` of objects takes quadratic time; names such as `constructor`, which all objects inherit, count as
 * present; a value with a property `valueOf` makes it throw where it is compared with an object; and things slip through
 * that should not, by `minProperties` (which counts what is `undefined`), by `contains` next to `prefixItems` (an empty
 * array), by `unevaluatedItems` next to `contains`, by `unevaluatedProperties` next to `if`. A pattern that only our own
 * engine matches in linear time takes a second for some megabytes of text. These schemas stay with our own checks, which
 * count their steps.
 */
export function isWorthCompiling(root: SchemaNode): boolean {
  const finished = new Set<SchemaNode>();
  const path = new Set<SchemaNode>();
  const stack: { readonly node: SchemaNode; readonly children: Iterator<SchemaNode> }[] = [];
  if (!enter(root)) return false;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.children.next();
    if (next.done) {
      path.delete(top.node);
      finished.add(top.node);
      stack.pop();
    } else if (path.has(next.value) || (!finished.has(next.value) && !enter(next.value))) return false;
  }
  return true;

  function enter(node: SchemaNode): boolean {
    path.add(node);
    stack.push({ node, children: childNodes(node) });
    return (
      !node.uniqueItems &&
      !node.const?.long.length &&
      !node.enum?.long.length &&
      node.minProperties === undefined &&
      node.contains === undefined &&
      node.unevaluatedItems === undefined &&
      node.unevaluatedProperties === undefined &&
      node.pattern?.isNative !== false &&
      ![...(node.patternProperties?.keys() ?? [])].some((pattern) => !pattern.isNative) &&
      !namesOf(node).some((name) => name in Object.prototype)
    );
  }
}

function namesOf({ required, properties, dependentRequired, dependentSchemas }: SchemaNode): string[] {
  return [
    ...(required ?? []),
    ...(properties?.keys() ?? []),
    ...(dependentRequired?.keys() ?? []),
    ...[...(dependentRequired?.values() ?? [])].flatMap((names) => [...names]),
    ...(dependentSchemas?.keys() ?? []),
  ];
}
