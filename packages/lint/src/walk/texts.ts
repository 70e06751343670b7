import { isObject } from "@toolwire/protocol/internal";
import type { Path, SubjectKind } from "../finding.ts";
import type { LintedList, LintedText } from "../rule.ts";
import { listSchemaNodes } from "./schema-nodes.ts";

/** So much of a text is looked at. */
const MOST_OF_TEXT = 65_536;

/** Lists the texts of a list that models or people read. Definitions may come from anybody, so that anything may be in their place. */
export function* listTexts(list: LintedList): Generator<LintedText> {
  for (const { tool, nodes } of list.tools) {
    const ofTool = textsOf("tool", tool.name);
    yield* ofTool(tool, ["title", "description"], []);
    if (isObject(tool.annotations)) yield* ofTool(tool.annotations, ["title"], ["annotations"]);
    for (const { schema, path } of nodes) yield* ofTool(schema, ["title", "description"], ["inputSchema", ...path]);
    if (!isObject(tool.outputSchema)) continue;
    for (const { schema, path } of listSchemaNodes(tool.outputSchema).nodes) {
      yield* ofTool(schema, ["title", "description"], ["outputSchema", ...path]);
    }
  }
  for (const prompt of list.prompts) {
    const ofPrompt = textsOf("prompt", prompt.name);
    yield* ofPrompt(prompt, ["title", "description"], []);
    const given: unknown = prompt.arguments;
    for (const [index, argument] of (Array.isArray(given) ? given : []).entries()) {
      if (isObject(argument)) yield* ofPrompt(argument, ["title", "description"], ["arguments", index]);
    }
  }
  for (const resource of list.resources) {
    yield* textsOf("resource", resource.name)(resource, ["title", "description"], []);
  }
}

function textsOf(kind: SubjectKind, name: string) {
  return function* (holder: object, members: readonly string[], path: Path): Generator<LintedText> {
    for (const member of members) {
      const text = (holder as { readonly [member: string]: unknown })[member];
      if (typeof text === "string") yield { kind, name, path: [...path, member], text: text.slice(0, MOST_OF_TEXT) };
    }
  };
}
