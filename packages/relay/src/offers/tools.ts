import type { CallToolResult, Tool } from "@toolwire/client";
import { canonicalJson, isObject } from "@toolwire/protocol/internal";
import {
  passOn,
  tool as defineToolOf,
  type Context,
  type Icon,
  type JsonSchemaObject,
  type Meta,
  type ToolAnnotations,
  type ToolDefinition,
} from "@toolwire/server";
import type { TaskOptions } from "@toolwire/server/tasks";
import { passToolResult } from "../calls/results.ts";
import { RELAYED_TASK, type TaskSupport } from "../calls/task-support.ts";
import { cleanAnnotations, cleanSchema, cleanWords } from "../text/clean.ts";
import { hashText } from "../text/hash.ts";
import { metaForCaller, metaWithView } from "../text/meta.ts";
import { offeredName, toolPrefix } from "../text/names.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Offer } from "./offer-table.ts";

/** What a list shows of a tool. Texts for people and models are cleaned; names and schemas stay as they are. */
export interface ToolListing {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly input: JsonSchemaObject;
  readonly output: JsonSchemaObject | undefined;
  readonly annotations: ToolAnnotations | undefined;
  readonly icons: readonly Icon[] | undefined;
  readonly _meta: Meta | undefined;
}

/** A tool of an upstream, as it is offered to callers. */
export interface RelayedTool {
  /** The name of the upstream that it belongs to. */
  readonly upstream: string;
  readonly listing: ToolListing;
  /** How it runs as a task; `undefined` if it does not, because the upstream or our server has no tasks. */
  readonly task?: TaskOptions | undefined;
  /**
   * Calls it for a caller, with arguments that were checked. Resolves to the upstream's own result.
   *
   * @throws ToolError at once, if the caller must not call it at the moment
   */
  send(args: object, ctx: Context): Promise<CallToolResult>;
  /** Makes the caller's result of the upstream's: URIs in it are those under which resources are offered. */
  transform(result: CallToolResult): CallToolResult;
}

/** Makes the definition of a tool that calls the upstream. */
export function defineTool(relayed: RelayedTool): ToolDefinition {
  const { output, ...listing } = relayed.listing;
  return defineToolOf({
    ...listing,
    ...(output !== undefined && { output }),
    ...(relayed.task !== undefined && { task: relayed.task }),
    run: async (args: object, ctx: Context) => passOn(relayed.transform(await relayed.send(args, ctx))),
  }) as ToolDefinition;
}

/** Makes the offers of the tools of an upstream. Nonsense among them is left out. */
export function offerTools(
  upstream: Upstream,
  tools: readonly Tool[],
  supportOf: (tool: Tool) => TaskSupport | undefined,
): Offer<RelayedTool>[] {
  return tools
    .filter(({ inputSchema }) => isObject(inputSchema))
    .map((tool) => {
      const support = supportOf(tool);
      const call: RelayedTool["send"] = (args, ctx) => {
        const view = upstream.expectView(ctx);
        view.options.admit?.(tool.name);
        const params = { name: tool.name, arguments: args };
        return view.send("tools/call", params, ctx, support) as Promise<CallToolResult>;
      };
      return {
        name: offeredName(upstream.options.prefix, tool.name),
        fingerprint: hashText(canonicalJson(support === undefined ? tool : [tool, support])),
        make: () => ({
          ...relayedTool(upstream, tool, call),
          ...(support !== undefined && upstream.hasTasks && { task: RELAYED_TASK }),
        }),
      };
    });
}

/** Makes the offer of a tool by which callers log in: without it, they would see nothing that tells them to. */
export function offerLogin(upstream: Upstream, tool: Tool, result: CallToolResult): Offer<RelayedTool> {
  return {
    name: offeredName(upstream.options.prefix, tool.name),
    fingerprint: hashText(canonicalJson(tool)),
    make: () =>
      relayedTool(upstream, tool, async (_args, ctx) => {
        await upstream.logIn(ctx);
        return result;
      }),
  };
}

function relayedTool(upstream: Upstream, tool: Tool, send: RelayedTool["send"]): RelayedTool {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = tool;
  const outward = (uri: string): string => upstream.uris.outward(uri);
  const listing: ToolListing = {
    title: cleanWords(title),
    description: cleanWords(description),
    input: cleanSchema(inputSchema as JsonSchemaObject),
    output: outputSchema === undefined ? undefined : cleanSchema(outputSchema as JsonSchemaObject),
    annotations: cleanAnnotations(annotations),
    icons,
    _meta: metaWithView(metaForCaller(_meta), outward, toolPrefix(upstream.options.prefix)),
  };
  return { upstream: upstream.name, listing, send, transform: (result) => passToolResult(result, outward) };
}
