/**
 * Groups of tools, prompts and resources, which clients ask for one by one. Experimental: it follows a draft.
 *
 * @packageDocumentation
 */
export type { Group, GroupContents, GroupList, GroupResult } from "@toolwire/protocol";
export { groups, type GroupsExtension, type GroupsMethods } from "./groups.ts";
export type { GroupDefinition, GroupDefinitions, GroupMembers, GroupsOptions } from "./options.ts";
