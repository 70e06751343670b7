import type { ServerConfig } from "../config.ts";
import type { ConfigPath } from "../problem.ts";
import type { Checks } from "./checks.ts";

/** Checks the groups of a server by themselves. Which tools they name is known when the tools are. */
export function checkGroups({ groups, upstreams = {}, mode }: ServerConfig, path: ConfigPath, checks: Checks): void {
  if (groups === undefined) return;
  if (mode === "search") {
    const message =
      "In search mode, nothing is listed that could be in a group: use either `mode: search` or `groups`.";
    checks.error([...path, "groups"], message);
  }
  for (const [name, group] of Object.entries(groups)) {
    const place = [...path, "groups", name];
    const parts = [group.instructions, group.upstreams, group.tools, group.prompts, group.resources, group.groups];
    if (parts.every((part) => part === undefined || part.length === 0)) {
      checks.error(place, "A group needs `instructions`, `upstreams`, `tools`, `prompts`, `resources` or `groups`.");
    }
    for (const [index, upstream] of (group.upstreams ?? []).entries()) {
      if (!Object.hasOwn(upstreams, upstream)) {
        checks.error([...place, "upstreams", index], "This server has no upstream of this name.");
      }
    }
    for (const [index, inside] of (group.groups ?? []).entries()) {
      if (!Object.hasOwn(groups, inside)) checks.error([...place, "groups", index], "There is no group of this name.");
    }
    if (leadsBack(name, groups)) checks.error([...place, "groups"], "This group is inside of itself.");
  }
}

/** Whether the groups inside of a group lead back to it. */
function leadsBack(start: string, groups: NonNullable<ServerConfig["groups"]>): boolean {
  const seen = new Set<string>();
  const visit = (name: string): boolean =>
    (groups[name]?.groups ?? []).some((inside) => {
      if (inside === start) return true;
      if (seen.has(inside)) return false;
      seen.add(inside);
      return visit(inside);
    });
  return visit(start);
}
