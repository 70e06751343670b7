import { isObject } from "@toolwire/protocol/internal";
import { readToolViewMeta } from "@toolwire/protocol/views";
import { type Context, type Server, ToolError } from "@toolwire/server";
import { type FoundTool, SEARCH_TOOL_NAMES, searchTools } from "@toolwire/server/search";
import type { Policy, SearchTools } from "../steps/policy.ts";

/** The most callers whose lists are remembered, if callers see different tools. */
const MAX_LISTS = 1000;

const [, , CALL_TOOL] = SEARCH_TOOL_NAMES;

/** Whether the upstreams of a server list a tool for a caller. It may change with the lists of the caller, unlike a policy. */
export type IsListed = (tool: string, ctx: Context) => boolean;

/**
 * Adds the three tools of search mode to a server: they find, describe and call all others. The others stay tools of the server,
 * and are not listed. A call of `call_tool` goes on as a call of the tool that it names, so that this one is validated, limited,
 * checked and logged.
 */
export function addSearchTools(server: Server, policyOf: () => Policy, isListed: IsListed): SearchTools {
  const lists = new ToolLists(isListed);
  const tools = searchTools({
    list: (ctx) => lists.of(policyOf(), ctx),
    call(name) {
      // The pipeline has replaced the call already. Without a valid name it could not.
      throw new ToolError(`Unknown tool: ${name.slice(0, 128)}`);
    },
  });
  for (const name of SEARCH_TOOL_NAMES) server.tools.add(name, tools[name]);
  return { names: new Set(SEARCH_TOOL_NAMES), unwrap };
}

/** The call that `call_tool` means. Malformed ones are refused by its schema. */
function unwrap(params: object): object | undefined {
  const { name, arguments: outer, ...rest } = params as { readonly name?: unknown; readonly arguments?: unknown };
  if (name !== CALL_TOOL || !isObject(outer) || typeof outer["name"] !== "string") return undefined;
  const { name: inner, arguments: args = {} } = outer;
  return isObject(args) ? { ...rest, name: inner, arguments: args } : undefined;
}

/** The tools that each caller may find. A list stays the same object until something changes, because an index of it is kept. */
class ToolLists {
  readonly #isListed: IsListed;
  readonly #lists = new WeakMap<Policy, PolicyLists>();

  constructor(isListed: IsListed) {
    this.#isListed = isListed;
  }

  of(policy: Policy, ctx: Context): readonly FoundTool[] {
    const { all, kept } = this.#listsOf(policy);
    const { principal } = ctx;
    // Callers share a list unless something tells them apart.
    const key = policy.isSameForAll ? "" : JSON.stringify([principal?.id, principal?.scopes]);
    const list = all.filter(({ name }) => policy.allows(principal, name) && this.#isListed(name, ctx));
    const former = kept.get(key);
    if (former !== undefined && isSame(former, list)) return former;
    if (kept.size >= MAX_LISTS) kept.clear();
    kept.set(key, list);
    return list;
  }

  #listsOf(policy: Policy): PolicyLists {
    const known = this.#lists.get(policy);
    if (known !== undefined) return known;
    const lists: PolicyLists = { all: listAll(policy), kept: new Map() };
    this.#lists.set(policy, lists);
    return lists;
  }
}

interface PolicyLists {
  /** The tools of all callers. */
  readonly all: readonly FoundTool[];
  /** The lists of callers of late. */
  readonly kept: Map<string, readonly FoundTool[]>;
}

function listAll({ tools }: Policy): readonly FoundTool[] {
  // Models search, and tools that are for views only are not for them.
  const active = [...tools].filter(
    ([, { isDraft, route }]) => !isDraft && readToolViewMeta(route._meta).visibility.includes("model"),
  );
  return active.map(([name, { route }]) => {
    const { title, description, input, shown, annotations, hints } = route;
    return { name, title, description, inputSchema: shown?.schema ?? input, annotations, hints };
  });
}

function isSame(one: readonly FoundTool[], other: readonly FoundTool[]): boolean {
  return one.length === other.length && one.every((tool, index) => tool === other[index]);
}
