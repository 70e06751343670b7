/** The draft `io.modelcontextprotocol/groups` (September 2026): tools, prompts and resources that are found group by group. */
import type { Prompt } from "./prompts.ts";
import type { Resource } from "./resources.ts";
import type { Tool } from "./tools.ts";

/** The id of the extension for groups. */
export const GROUPS_ID = "io.modelcontextprotocol/groups";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;

/** Whether a text can be the name of a group. */
export function isGroupName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name);
}

/** A group as `groups/list` has it: enough to choose by, and nothing of what is inside. */
export interface Group {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
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
