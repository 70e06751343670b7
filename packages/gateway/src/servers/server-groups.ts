import type { Context, ServerExtension } from "@toolwire/server";
import { type GroupDefinitions, type GroupMembers, groups } from "@toolwire/server/experimental/groups";
import type { GroupConfig, ServerConfig } from "../config/config.ts";
import { matchAny } from "../upstreams/match-names.ts";

/** The name of the upstream that something comes from. */
export type UpstreamOf = (kind: "tools" | "prompts" | "resources", name: string, ctx: Context) => string | undefined;

/** Makes the extension for the groups of a server; none without groups. Throws a `UsageError` if they cannot be served. */
export function createGroups({ groups: configured }: ServerConfig, upstreamOf: UpstreamOf): readonly ServerExtension[] {
  if (configured === undefined) return [];
  const definitions: GroupDefinitions = Object.fromEntries(
    Object.entries(configured).map(([name, group]) => [name, define(group, upstreamOf)]),
  );
  return [groups(definitions)];
}

function define(group: GroupConfig, upstreamOf: UpstreamOf): GroupDefinitions[string] {
  const { title, description, instructions, upstreams = [], groups: inside } = group;
  const members = (kind: "tools" | "prompts" | "resources"): GroupMembers | undefined => {
    const patterns = group[kind];
    if (patterns === undefined && upstreams.length === 0) return undefined;
    const isNamed = matchAny(patterns ?? []);
    return (name, ctx) => {
      if (isNamed(name)) return true;
      const upstream = upstreams.length === 0 ? undefined : upstreamOf(kind, name, ctx);
      return upstream !== undefined && upstreams.includes(upstream);
    };
  };
  return {
    title,
    description,
    instructions,
    tools: members("tools"),
    prompts: members("prompts"),
    resources: members("resources"),
    groups: inside,
  };
}
