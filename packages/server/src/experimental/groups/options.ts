import { UsageError } from "@toolwire/protocol";
import { expectOption, expectOptions, isGroupName, isObject, type OptionNames } from "@toolwire/protocol/internal";
import type { Context } from "../../define/context.ts";

/** Names of members, or a function that says of each name whether it is one for this caller. Resources have URIs for names. */
export type GroupMembers = readonly string[] | ((name: string, ctx: Context) => boolean);

/** A group: what clients see of it first, and what they get when they ask for it. */
export interface GroupDefinition {
  /** The name for people. */
  readonly title?: string | undefined;
  /** Tells the model what the group is for, and when to use it, in a sentence or two. */
  readonly description: string;
  /** Tells the model how to work with the group, in Markdown. */
  readonly instructions?: string | undefined;
  readonly tools?: GroupMembers | undefined;
  readonly prompts?: GroupMembers | undefined;
  readonly resources?: GroupMembers | undefined;
  /** The names of groups inside of this one. They are not listed on their own. */
  readonly groups?: readonly string[] | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** Groups by name: up to 64 of `a-z`, `0-9` and `-`, with no `-` at the ends, and never two in a row. */
export interface GroupDefinitions {
  readonly [name: string]: GroupDefinition;
}

/** The options of {@link groups}. */
export interface GroupsOptions {
  /** The most groups in one page of `groups/list`. Default 1000. */
  readonly pageSize?: number | undefined;
}

const GROUP: OptionNames<GroupDefinition> = {
  title: true,
  description: true,
  instructions: true,
  tools: true,
  prompts: true,
  resources: true,
  groups: true,
  _meta: true,
};

/** Checks definitions by themselves and together. Throws a `UsageError` that says what to change. */
export function checkGroups(definitions: GroupDefinitions): void {
  expectOption("groups", definitions, isObject(definitions), "an object with groups by name");
  for (const [name, group] of Object.entries(definitions)) checkGroup(name, group, definitions);
  for (const name of Object.keys(definitions)) refuseCycle(name, definitions, []);
}

function checkGroup(name: string, group: GroupDefinition, all: GroupDefinitions): void {
  if (!isGroupName(name)) {
    throw wrong(name, "its name must have 1 to 64 of a-z, 0-9 and -, with no - at the ends and never two in a row");
  }
  expectOptions(`group "${name}"`, group, GROUP);
  const { description, instructions, tools, prompts, resources, groups = [] } = group;
  if (typeof description !== "string" || description === "") throw wrong(name, "it needs a `description`");
  for (const [kind, members] of Object.entries({ tools, prompts, resources })) {
    const fits = members === undefined || typeof members === "function" || areNames(members);
    if (!fits) throw wrong(name, `\`${kind}\` must be a list of names, or a function of a name`);
  }
  if (!areNames(groups)) throw wrong(name, "`groups` must be a list of names");
  const missing = groups.find((each) => !Object.hasOwn(all, each));
  if (missing !== undefined) throw wrong(name, `there is no group "${missing}" to be inside of it`);
  if (instructions === undefined && groups.length === 0 && !hasMembers(group)) {
    throw wrong(name, "it needs `instructions`, or `tools`, `prompts`, `resources` or `groups`");
  }
}

/** Whether a group is defined to have members of its own, apart from groups. */
export function hasMembers({ tools = [], prompts = [], resources = [] }: GroupDefinition): boolean {
  return [tools, prompts, resources].some((members) => typeof members === "function" || members.length > 0);
}

function areNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}

/** Groups inside of groups must never lead back ("Nested groups"). */
function refuseCycle(name: string, all: GroupDefinitions, above: readonly string[]): void {
  const path = [...above, name];
  if (above.includes(name)) throw wrong(name, `it is inside of itself: ${path.join(" > ")}`);
  for (const child of all[name]?.groups ?? []) refuseCycle(child, all, path);
}

function wrong(name: string, problem: string): UsageError {
  return new UsageError("INVALID_DEFINITION", `group "${name}": ${problem}.`);
}
