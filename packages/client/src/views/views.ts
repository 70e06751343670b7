import { readToolViewMeta, VIEW_MIME_TYPE, VIEWS_EXTENSION } from "@toolwire/protocol/views";
import { UsageError, type Tool } from "@toolwire/protocol";
import type { RequestOptions } from "../call-options.ts";
import type { ClientExtension, ExtensionClient } from "../extensions/extension.ts";
import { readView, type View } from "./read-view.ts";

/** The options of {@link views}. */
export interface ViewsOptions {
  /** How many characters the document of a view may have. Default 10 000 000. */
  readonly maxSize?: number | undefined;
}

/** The views of a server, and what they may use of it. `client.use(views())` returns it. */
export interface ServerViews {
  /** Reads the view of a tool, as the server lists the tool. `undefined` if it has none. Rejects if the view cannot be shown. */
  read(tool: Tool, options?: RequestOptions): Promise<View | undefined>;
  /** Finds a tool that views may call; `undefined` if there is none. */
  findTool(name: string, options?: RequestOptions): Promise<Tool | undefined>;
  /** Calls a tool for a view. Rejects if views may not call it. */
  callTool(name: string, args: { readonly [argument: string]: unknown }, options?: RequestOptions): Promise<object>;
  /** Reads a resource for a view. */
  readResource(uri: string, options?: RequestOptions): Promise<object>;
}

/**
 * The extension `io.modelcontextprotocol/ui`: the client declares that it shows views, and `client.use()` returns the views of its server.
 * Give a model only the tools that are {@link isForModel for it}.
 *
 * @example
 * ```ts
 * const apps = views();
 * const client = await connect(url, { extensions: [apps] });
 * const view = await client.use(apps).read(tool);
 * ```
 */
export function views({ maxSize = 10_000_000 }: ViewsOptions = {}): ClientExtension<ServerViews> {
  return {
    id: VIEWS_EXTENSION,
    settings: { mimeTypes: [VIEW_MIME_TYPE] },
    api: (client) => openViews(client, maxSize),
  };
}

/** Whether a model may see and call a tool. Those that are for views only must be left out of what a model gets. */
export function isForModel(tool: Tool): boolean {
  return readToolViewMeta(tool._meta).visibility.includes("model");
}

/** Whether views of the tool's server may call it. */
export function isForViews(tool: Tool): boolean {
  return readToolViewMeta(tool._meta).visibility.includes("app");
}

/** The URI of the view that shows results of a tool; `undefined` if there is none. */
export function viewOf(tool: Tool): string | undefined {
  return readToolViewMeta(tool._meta).resourceUri;
}

function openViews(client: ExtensionClient, maxSize: number): ServerViews {
  const findTool = async (name: string, options?: RequestOptions): Promise<Tool | undefined> => {
    const tool = await client.findTool(name, options);
    return tool !== undefined && isForViews(tool) ? tool : undefined;
  };
  return {
    findTool,
    async read(tool, options) {
      const uri = viewOf(tool);
      if (uri === undefined) return undefined;
      const view = readView(uri, await client.request("resources/read", { uri }, options), maxSize);
      if (view.refused.length > 0) {
        const message = `The view ${uri} does not get origins that it declares: ${view.refused.join(", ").slice(0, 500)}.`;
        client.diagnose({ level: "warning", message });
      }
      return view;
    },
    async callTool(name, args, options) {
      if ((await findTool(name, options)) === undefined) {
        throw new UsageError("INVALID_ARGUMENT", `Views cannot call ${JSON.stringify(name.slice(0, 100))}.`);
      }
      const result = await client.request("tools/call", { name, arguments: args }, options);
      return client.checkResult(name, result, options);
    },
    readResource: (uri, options) => client.request("resources/read", { uri }, options),
  };
}
