import { type FoundTool, SEARCH_TOOL_NAMES, searchTools } from "@toolwire/openapi";
import { isObject } from "@toolwire/protocol/internal";
import { type Context, type Server, ToolError } from "@toolwire/server";
import type { Policy, SearchTools } from "../steps/policy.ts";

/** The most callers whose lists are remembered, if callers see different tools. */
const MAX_LISTS = 1000;

const [, , CALL_TOOL] = SEARCH_TOOL_NAMES;

/**
 * Adds the three tools of search mode to a server: they find, describe and call all others. The others stay tools of the server,
 * and are not listed. A call of `call_tool` goes on as a call of the tool that it names, so that this one is validated, limited,
 * checked and logged.
 */
export function addSearchTools(server: Server, policyOf: () => Policy): SearchTools {
  const lists = new ToolLists();
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
  readonly #lists = new WeakMap<Policy, Map<string, readonly FoundTool[]>>();

  of(policy: Policy, { principal }: Context): readonly FoundTool[] {
    let lists = this.#lists.get(policy);
    if (lists === undefined) {
      lists = new Map();
      this.#lists.set(policy, lists);
    }
    // Callers share a list unless rules tell them apart.
    const key = policy.isSameForAll ? "" : JSON.stringify([principal?.id, principal?.scopes]);
    let list = lists.get(key);
    if (list === undefined) {
      if (lists.size >= MAX_LISTS) lists.clear();
      list = listFor(policy, principal);
      lists.set(key, list);
    }
    return list;
  }
}

function listFor({ tools, allows }: Policy, principal: Context["principal"]): readonly FoundTool[] {
  const visible = [...tools].filter(([name, { isDraft }]) => !isDraft && allows(principal, name));
  return visible.map(([name, { route }]) => {
    const { title, description, input, annotations } = route;
    return { name, title, description, inputSchema: input, annotations };
  });
}
