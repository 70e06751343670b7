/** Groups as servers send them, which may be anything. */
import type { Group, Prompt, Resource, Tool } from "@toolwire/protocol";
import { isGroupName, isObject, quoteWords } from "@toolwire/protocol/internal";
import type { ExtensionClient } from "../../extensions/extension.ts";
import { invalidResult } from "../../messages/results.ts";

/** A group that was got from the server: its instructions, and everything inside. */
export interface OpenGroup {
  readonly name: string;
  /**
   * How to work with the group, for the model. It comes from the server, like the description of a tool, and is worth no more than
   * that.
   */
  readonly instructions: string | undefined;
  /** Tools that can be called by `callTool()`, which need the same consent as all others. */
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  /** Groups inside of this one. What they contain is asked for on its own. */
  readonly groups: readonly Group[];
}

/** Reads a list of groups. What is no group is left out, and the operator is told. */
export function readGroups(given: unknown, method: string, client: ExtensionClient): readonly Group[] {
  if (!Array.isArray(given)) throw invalidResult(method, "`groups` must be an array");
  const seen = new Set<string>();
  return given.filter((group: unknown): group is Group => {
    const problem = problemOf(group);
    if (problem !== undefined) {
      const name = isObject(group) && typeof group["name"] === "string" ? ` ${quoteWords(group["name"])}` : "";
      client.diagnose({ level: "warning", message: `A group${name} of the server is left out: ${problem}.` });
      return false;
    }
    const { name } = group as Group;
    return !seen.has(name) && seen.add(name) !== undefined;
  });
}

function problemOf(group: unknown): string | undefined {
  if (!isObject(group)) return "it is no object";
  const { name, title, description } = group;
  if (typeof name !== "string" || !isGroupName(name)) return "its name breaks the rules";
  if (typeof description !== "string") return "it has no description";
  return title === undefined || typeof title === "string" ? undefined : "its title is no text";
}

/** Reads the result of `groups/get`. Throws a `ProtocolViolation` that says what is wrong with it. */
export function readGroup(name: string, result: object, client: ExtensionClient): OpenGroup {
  const method = "groups/get";
  const { instructions, contents } = result as { readonly instructions?: unknown; readonly contents?: unknown };
  if (instructions !== undefined && typeof instructions !== "string") {
    throw invalidResult(method, "`instructions` must be a string");
  }
  if (contents !== undefined && !isObject(contents)) throw invalidResult(method, "`contents` must be an object");
  if (instructions === undefined && contents === undefined) {
    throw invalidResult(method, "it must have `instructions` or `contents`");
  }
  const { groups = [], ...parts } = (contents ?? {}) as { readonly [kind: string]: unknown };
  const tools = readList(parts["tools"], "tools", ["name"], method) as readonly Tool[];
  return {
    name,
    instructions,
    tools: client.learnTools(tools),
    prompts: readList(parts["prompts"], "prompts", ["name"], method) as readonly Prompt[],
    resources: readList(parts["resources"], "resources", ["uri", "name"], method) as unknown as readonly Resource[],
    groups: readGroups(groups, method, client),
  };
}

/** Reads a list of objects with these texts, the first of which tells them apart. What comes twice is kept once. */
function readList(
  given: unknown,
  kind: string,
  texts: readonly [string, ...string[]],
  method: string,
): readonly { readonly name: string }[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw invalidResult(method, `\`contents.${kind}\` must be an array`);
  const kept = new Map<string, { readonly name: string }>();
  for (const [index, item] of (given as unknown[]).entries()) {
    const missing = isObject(item) ? texts.find((text) => typeof item[text] !== "string") : texts[0];
    if (missing !== undefined) {
      throw invalidResult(method, `\`contents.${kind}[${index}].${missing}\` must be a string`);
    }
    const found = item as { readonly name: string; readonly [text: string]: unknown };
    const id = found[texts[0]] as string;
    if (!kept.has(id)) kept.set(id, found);
  }
  return [...kept.values()];
}
