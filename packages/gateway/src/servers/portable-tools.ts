import { toPortable } from "@toolwire/lint";
import type { SchemaChange } from "@toolwire/lint";
import type { ToolRoute } from "../routes/tool-route.ts";

/** How many changes of one tool are named, and how many tools in one line of a log. */
const MOST_CHANGES = 20;
const MOST_TOOLS = 10;

/**
 * Makes a route whose input all models' APIs take (`schemas: portable`). Callers see the rewritten schema, and arguments are checked
 * against the original, after they have got their names back.
 */
export function makePortable(route: ToolRoute): Pick<ToolRoute, "shown" | "repair"> {
  const { schema, changes, restore } = toPortable(route.input);
  // What nobody notices is left out as well, such as comments.
  if (JSON.stringify(schema) === JSON.stringify(route.input)) return {};
  return {
    shown: { schema, changes: describeChanges(changes) },
    repair(args) {
      const restored = restore(args);
      return route.repair?.(restored) ?? restored;
    },
  };
}

/** Says what has been rewritten, for logs: names of tools, with the number of changes of each. */
export function describeRewritten(tools: readonly (readonly [name: string, route: ToolRoute])[]): string {
  const named = tools
    .slice(0, MOST_TOOLS)
    .map(([name, { shown }]) => `${name} (${shown?.changes.length ?? 0})`)
    .join(", ");
  const more = tools.length > MOST_TOOLS ? ` and ${tools.length - MOST_TOOLS} more` : "";
  return `\`schemas: portable\` has rewritten the inputs of ${tools.length} ${tools.length === 1 ? "tool" : "tools"}, with so many changes: ${named}${more}`;
}

function describeChanges(changes: readonly SchemaChange[]): readonly string[] {
  const texts = changes
    .slice(0, MOST_CHANGES)
    .map(({ path, what }) => (path.length === 0 ? what : `${path.join(".").slice(0, 200)}: ${what}`));
  return changes.length > MOST_CHANGES ? [...texts, `and ${changes.length - MOST_CHANGES} more`] : texts;
}
