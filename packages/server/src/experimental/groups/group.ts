import type { Prompt, Resource, Tool } from "@toolwire/protocol";
import type { GroupDefinition } from "./options.ts";

/** A group as `groups/list` has it: enough to choose by, and nothing of what is inside. */
export interface Group {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** The things that can be in a group, by the member that has them. */
export interface Scoped {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
}

/** What is inside of a group. */
export interface GroupContents {
  readonly tools?: readonly Tool[] | undefined;
  readonly prompts?: readonly Prompt[] | undefined;
  readonly resources?: readonly Resource[] | undefined;
  /** Groups inside. What they contain is asked for on its own. */
  readonly groups?: readonly Group[] | undefined;
}

/** The result of `groups/get`. It has at least one of both. */
export interface GroupResult {
  readonly instructions?: string | undefined;
  readonly contents?: GroupContents | undefined;
}

/** The result of `groups/list`. */
export interface GroupList {
  readonly groups: readonly Group[];
  readonly nextCursor?: string | undefined;
}

/** A group as it is listed: the same wherever that is. */
export function groupListing(name: string, { title, description, _meta }: GroupDefinition): Group {
  return { name, ...(title !== undefined && { title }), description, ...(_meta !== undefined && { _meta }) };
}
