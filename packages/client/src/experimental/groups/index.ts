/**
 * Groups of tools, prompts and resources, which are asked for one by one. Experimental: it follows a draft.
 *
 * @packageDocumentation
 */
export type { Group } from "@toolwire/protocol";
export { type GroupListOptions, groups, type GroupsApi, type GroupsPage, type WalkOptions } from "./groups.ts";
export type { OpenGroup } from "./read-group.ts";
