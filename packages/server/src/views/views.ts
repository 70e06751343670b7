import {
  FLAT_VIEW_META,
  VIEW_META,
  VIEW_MIME_TYPE,
  VIEW_SCHEME,
  VIEWS_EXTENSION,
  type ToolAudience,
  type ToolViewMeta,
} from "@toolwire/protocol/views";
import { UsageError, type Tool } from "@toolwire/protocol";
import type { ServerExtension } from "../define/extension.ts";
import { resource, type ListedResource, type ReadReturn } from "../define/resource.ts";
import type { NamedTool, ToolHooks } from "../define/tool-hooks.ts";
import { metaOf, readDocument, type ViewDefinition } from "./view.ts";

declare module "@toolwire/server" {
  interface ToolMembers {
    /** Shows results of the tool to people, where the host can. The text of the results is still for the model, and for other hosts. */
    readonly view?: ViewDefinition | undefined;
    /** Who may see and call the tool: the model, or views of this server (`"app"`). Default: both. */
    readonly visibility?: readonly ToolAudience[] | undefined;
  }
}

/** The views of the tools of one server, and who may call which tool. */
export interface ViewCatalog {
  /** By URI. */
  readonly views: Map<string, ViewDefinition>;
  /** The tools that are not for the model, by name. */
  readonly forViewsOnly: Set<string>;
}

const catalogs = new WeakMap<ServerExtension, ViewCatalog>();

/** What the extension has collected. Throws if it was not made by {@link views}. */
export function catalogOf(extension: ServerExtension): ViewCatalog {
  const catalog = catalogs.get(extension);
  if (catalog !== undefined) return catalog;
  throw new UsageError("INVALID_ARGUMENT", "The extension is what `views()` returned, which `createServer` was given.");
}

/** The members of `tool()` that the extension adds. */
interface ToolWithView {
  readonly view?: ViewDefinition | undefined;
  readonly visibility?: readonly ToolAudience[] | undefined;
}

/**
 * The extension `io.modelcontextprotocol/ui`: tools with a `view`, and resources that hold the views. Make one for each server.
 *
 * @example
 * ```ts
 * createServer({ name: "sales", version: "1.0.0", extensions: [views()], tools: { sales: tool({ view: chart, … }) } });
 * ```
 */
export function views(): ServerExtension {
  const catalog: ViewCatalog = { views: new Map(), forViewsOnly: new Set() };
  const extension: ServerExtension = {
    id: VIEWS_EXTENSION,
    toolMembers: ["view", "visibility"],
    tool: (tool) => hooksFor(tool, catalog),
    resources: {
      views: resource({
        template: `${VIEW_SCHEME}{+path}`,
        mimeType: VIEW_MIME_TYPE,
        list: () => [...catalog.views].map(([uri, view]) => listView(uri, view)),
        read: ({ path }) => readView(`${VIEW_SCHEME}${path}`, catalog),
      }),
    },
    // Views are found by their tools and in `resources/list`. There is nothing to fill in by hand.
    list: (kind, item) =>
      kind === "resourceTemplates" && "uriTemplate" in item && item.uriTemplate === `${VIEW_SCHEME}{+path}`
        ? undefined
        : item,
  };
  catalogs.set(extension, catalog);
  return extension;
}

function hooksFor({ name, definition }: NamedTool, catalog: ViewCatalog): ToolHooks | undefined {
  const { view, visibility } = definition as ToolWithView;
  const isForViewsOnly = visibility !== undefined && !readAudience(visibility).includes("model");
  // A tool of the same name may have been removed.
  if (isForViewsOnly) catalog.forViewsOnly.add(name);
  else catalog.forViewsOnly.delete(name);
  if (view === undefined && visibility === undefined) return undefined;
  const resourceUri = view && add(view, view.uri ?? `${VIEW_SCHEME}views/${name}`, catalog);
  return {
    list: (listing) => withView(listing, { ...(resourceUri && { resourceUri }), ...(visibility && { visibility }) }),
  };
}

function readAudience(visibility: readonly ToolAudience[]): readonly ToolAudience[] {
  const given: unknown = visibility;
  const isFine = Array.isArray(given) && given.every((each) => each === "model" || each === "app");
  if (isFine && given.length > 0) return visibility;
  throw new UsageError("INVALID_DEFINITION", '`visibility` of a tool lists who may call it: "model", "app" or both.');
}

/** Adds a view under its URI. Several tools may have one view, which has one URI then. */
function add(view: ViewDefinition, uri: string, { views: all }: ViewCatalog): string {
  for (const [known, each] of all) if (each === view) return known;
  // A tool may be removed and added again with another version of its view.
  const other = all.get(uri);
  if (other !== undefined && view.uri !== undefined) {
    throw new UsageError("DUPLICATE_NAME", `There is a view with the URI ${uri} already: each needs its own.`);
  }
  all.set(uri, view);
  return uri;
}

/** The tool with its view in `_meta`: where the extension has it, and where hosts that were made before look. */
function withView(listing: Tool, meta: ToolViewMeta): Tool {
  const before = listing._meta?.[VIEW_META];
  const flat = meta.resourceUri === undefined ? {} : { [FLAT_VIEW_META]: meta.resourceUri };
  return {
    ...listing,
    _meta: { ...listing._meta, [VIEW_META]: { ...(before as object | undefined), ...meta }, ...flat },
  };
}

function listView(uri: string, view: ViewDefinition): ListedResource {
  const { title, description } = view;
  const ui = metaOf(view);
  return {
    uri,
    name: uri.slice(VIEW_SCHEME.length),
    mimeType: VIEW_MIME_TYPE,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(ui && { _meta: { [VIEW_META]: ui } }),
  };
}

async function readView(uri: string, catalog: ViewCatalog): Promise<ReadReturn> {
  const view = catalog.views.get(uri);
  if (view === undefined) return undefined;
  const ui = metaOf(view);
  return { text: await readDocument(view), mimeType: VIEW_MIME_TYPE, ...(ui && { _meta: { [VIEW_META]: ui } }) };
}
