import type { Group, GroupContents, GroupResult, Prompt, Resource, Tool } from "@toolwire/protocol";
import type { Context } from "../../define/context.ts";
import type { Offers } from "../../define/extension.ts";
import { type GroupDefinition, type GroupDefinitions, type GroupMembers, hasMembers } from "./options.ts";

/** The things that can be in a group, by the member that has them. */
export interface Scoped {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
}

/** A group as it is listed: the same wherever that is. */
export function groupListing(name: string, { title, description, _meta }: GroupDefinition): Group {
  return { name, ...(title !== undefined && { title }), description, ...(_meta !== undefined && { _meta }) };
}

/** The name by which groups know something that is listed. */
export function nameOf(kind: keyof Scoped, item: Scoped[keyof Scoped]): string {
  return kind === "resources" ? (item as Scoped["resources"]).uri : item.name;
}

/** Whether a name is one of the members. */
export function isMember(members: GroupMembers | undefined, name: string, ctx: Context): boolean {
  if (members === undefined) return false;
  return typeof members === "function" ? members(name, ctx) : members.includes(name);
}

/** The kinds of things that can be in groups. */
export const KINDS: readonly (keyof Scoped)[] = ["tools", "prompts", "resources"];

/** Everything that the caller may know of. */
type Offered = { readonly [Kind in keyof Scoped]: readonly Scoped[Kind][] };

/** The groups as one caller sees them: with those members that the caller may know of. Made for each request, and kept nowhere. */
export class GroupView {
  readonly #definitions: GroupDefinitions;
  readonly #ctx: Context;
  readonly #offered: Offered;
  readonly #visible = new Map<string, boolean>();

  private constructor(definitions: GroupDefinitions, ctx: Context, offered: Offered) {
    this.#definitions = definitions;
    this.#ctx = ctx;
    this.#offered = offered;
  }

  /** Asks for what the caller may know of, as far as there are groups of it. */
  static async open(definitions: GroupDefinitions, ctx: Context, offers: Offers): Promise<GroupView> {
    const all = Object.values(definitions);
    const list = async <Kind extends keyof Scoped>(kind: Kind): Promise<readonly Scoped[Kind][]> =>
      all.some((group) => group[kind] !== undefined) ? (offers.list(kind) as Promise<readonly Scoped[Kind][]>) : [];
    const [tools, prompts, resources] = await Promise.all([list("tools"), list("prompts"), list("resources")]);
    return new GroupView(definitions, ctx, { tools, prompts, resources });
  }

  /**
   * Whether the caller sees a group. One whose members are all hidden from the caller does not exist: its instructions would tell of
   * them, and be of no use. One that never has members, as instructions alone, is for everybody.
   */
  isVisible(name: string): boolean {
    let visible = this.#visible.get(name);
    if (visible === undefined) this.#visible.set(name, (visible = this.#findOut(name)));
    return visible;
  }

  #findOut(name: string): boolean {
    if (!Object.hasOwn(this.#definitions, name)) return false;
    const group = this.#definitions[name]!;
    const { groups = [] } = group;
    if (groups.some((child) => this.isVisible(child))) return true;
    if (hasMembers(group)) return KINDS.some((kind) => this.#membersOf(group, kind).length > 0);
    return groups.length === 0;
  }

  /** What the caller gets of a group; `undefined` if there is none for the caller. */
  get(name: string): GroupResult | undefined {
    if (!this.isVisible(name)) return undefined;
    const group = this.#definitions[name]!;
    const parts = KINDS.map((kind) => [kind, this.#membersOf(group, kind)] as const);
    const children = (group.groups ?? []).filter((child) => this.isVisible(child));
    const inside = children.map((child): Group => groupListing(child, this.#definitions[child]!));
    const filled = [...parts, ["groups", inside] as const].filter(([, items]) => items.length > 0);
    const { instructions } = group;
    return {
      ...(instructions !== undefined && { instructions }),
      ...(filled.length > 0 && { contents: Object.fromEntries(filled) as GroupContents }),
    };
  }

  #membersOf<Kind extends keyof Scoped>(group: GroupDefinition, kind: Kind): readonly Scoped[Kind][] {
    const members = group[kind];
    return members === undefined
      ? []
      : this.#offered[kind].filter((item) => isMember(members, nameOf(kind, item), this.#ctx));
  }
}
