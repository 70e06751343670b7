import type { JsonObject, Revision, SchemaDescription, ServerCapabilities } from "@toolwire/protocol";
import type {
  ExtensionMethod,
  HearNotification,
  ListedItems,
  ListenTopic,
  ServerExtension,
} from "../define/extension.ts";
import type { Context } from "../define/context.ts";
import type { NamedTool, ToolHooks } from "../define/tool-hooks.ts";
import { checkExtension, claimedTwice } from "./check-extension.ts";

/** A method of an extension, ready to be called in one revision. */
export interface AddedMethod {
  readonly extension: ServerExtension;
  readonly params: SchemaDescription["validate"] | undefined;
  readonly result: SchemaDescription["validate"] | undefined;
  readonly isGated: boolean;
  readonly isCacheable: boolean;
  readonly handle: (params: never, ctx: Context) => unknown;
}

/** A topic, and the extension whose clients may subscribe to it. */
export interface AddedTopic {
  readonly extension: ServerExtension;
  readonly topic: ListenTopic;
}

/** What one extension does with one tool. */
export interface AddedToolHooks {
  readonly extension: ServerExtension;
  readonly hooks: ToolHooks;
}

/** Compiles a schema; `direction` says whether values come in or go out. */
type Describe = (schema: NonNullable<ExtensionMethod["params"]>, direction: "input" | "output") => SchemaDescription;

/** The extensions of a server: checked, and everything that they add by its name. */
export class CompiledExtensions {
  readonly all: readonly ServerExtension[];
  /** The names of the options that they add to `tool()`. */
  readonly toolMembers: { readonly [name: string]: true };
  /** The parameter that the header `Mcp-Name` repeats, by method. */
  readonly nameParams: ReadonlyMap<string, string>;
  readonly topics: ReadonlyMap<string, AddedTopic>;
  /** The members that they add to contexts. */
  readonly context: ReadonlyMap<string, (context: Context) => unknown>;
  /** Whether any of them changes how things are listed. */
  readonly changesLists: boolean;
  /** By revision and method. */
  readonly #methods: ReadonlyMap<Revision, ReadonlyMap<string, AddedMethod>>;
  readonly #notifications: ReadonlyMap<
    string,
    { readonly extension: ServerExtension; readonly hear: HearNotification }
  >;

  constructor(extensions: readonly ServerExtension[], revisions: readonly Revision[], describe: Describe) {
    this.all = extensions;
    for (const extension of extensions) checkExtension(extension);
    byName(extensions, "The extension", ({ id }) => [[id, undefined]]);
    this.toolMembers = Object.fromEntries(
      [
        ...byName(extensions, "The option of tool()", ({ toolMembers = [] }) =>
          toolMembers.map((name) => [name, true]),
        ),
      ].map(([name]) => [name, true as const]),
    );
    this.context = byName(extensions, "The member of the context", ({ context = {} }) => Object.entries(context));
    this.topics = byName(extensions, "The topic", (extension) =>
      Object.entries(extension.topics ?? {}).map(([member, topic]) => [member, { extension, topic }]),
    );
    this.#notifications = byName(extensions, "The notification", (extension) =>
      Object.entries(extension.notifications ?? {}).map(([method, hear]) => [method, { extension, hear }]),
    );
    this.nameParams = new Map(extensions.flatMap(nameParamsOf));
    this.changesLists = extensions.some(({ list, tool }) => list !== undefined || tool !== undefined);
    const compiled = new Map<ExtensionMethod, Pick<AddedMethod, "params" | "result">>();
    const compile = (method: ExtensionMethod): Pick<AddedMethod, "params" | "result"> => {
      const known = compiled.get(method) ?? {
        params: method.params === undefined ? undefined : describe(method.params, "input").validate,
        result: method.result === undefined ? undefined : describe(method.result, "output").validate,
      };
      compiled.set(method, known);
      return known;
    };
    this.#methods = new Map(
      revisions.map((revision) => [
        revision,
        byName(extensions, "The method", (extension) =>
          methodsIn(extension, revision).map(([name, method]) => [
            name,
            {
              extension,
              ...compile(method),
              isGated: method.isGated ?? isDeclaredIn(extension, revision),
              isCacheable: method.isCacheable === true,
              handle: method.handle,
            },
          ]),
        ),
      ]),
    );
  }

  /** The method that an extension adds to a revision. */
  findMethod(revision: Revision, method: string): AddedMethod | undefined {
    return this.#methods.get(revision)?.get(method);
  }

  /** The receiver of a notification, and its extension. */
  findNotification(
    method: string,
  ): { readonly extension: ServerExtension; readonly hear: HearNotification } | undefined {
    return this.#notifications.get(method);
  }

  /** Adds what extensions declare in a revision to the capabilities of their server. */
  declareIn(revision: Revision, own: ServerCapabilities): ServerCapabilities {
    const declared: [string, JsonObject][] = [];
    let all = own;
    for (const extension of this.all) {
      const settings = settingsIn(extension, revision);
      if (settings !== undefined) declared.push([extension.id, settings]);
      for (const [name, added] of Object.entries(extension.capabilities?.(revision) ?? {})) {
        const before: unknown = all[name as keyof ServerCapabilities];
        all = { ...all, [name]: { ...(before as object | undefined), ...(added as object | undefined) } };
      }
    }
    return declared.length === 0 ? all : { ...all, extensions: Object.fromEntries(declared) };
  }

  /** Asks each extension what it does with a tool. */
  hooksFor(tool: NamedTool): readonly AddedToolHooks[] {
    return this.all.flatMap((extension) => {
      const hooks = extension.tool?.(tool);
      return hooks === undefined ? [] : [{ extension, hooks }];
    });
  }

  /** How something is listed in a revision; `undefined` if it is left out there. `hooks` are those of the tool that it is. */
  list<Kind extends keyof ListedItems>(
    kind: Kind,
    item: ListedItems[Kind],
    revision: Revision,
    hooks: readonly AddedToolHooks[] = [],
  ): ListedItems[Kind] | undefined {
    let listed: ListedItems[Kind] | undefined = item;
    for (const { hooks: hook } of hooks) {
      if (listed === undefined || hook.list === undefined) continue;
      listed = hook.list({ ...(listed as ListedItems["tools"]) }, revision) as ListedItems[Kind] | undefined;
    }
    for (const { list } of this.all) {
      if (listed !== undefined && list !== undefined) listed = list(kind, { ...listed }, revision);
    }
    return listed;
  }
}

/** Whether an extension is declared in a revision. */
export function isDeclaredIn(extension: ServerExtension, revision: Revision): boolean {
  return settingsIn(extension, revision) !== undefined;
}

function settingsIn({ settings = {} }: ServerExtension, revision: Revision): JsonObject | undefined {
  return typeof settings === "function" ? settings(revision) : settings;
}

function nameParamsOf({ methods = {} }: ServerExtension): [string, string][] {
  return Object.entries(methods).flatMap(([name, given]) =>
    eachOf(given).flatMap(({ nameParam }): [string, string][] => (nameParam === undefined ? [] : [[name, nameParam]])),
  );
}

function methodsIn(extension: ServerExtension, revision: Revision): [string, ExtensionMethod][] {
  return Object.entries(extension.methods ?? {}).flatMap(([name, given]) =>
    eachOf(given)
      .filter(({ revisions }) => revisions?.includes(revision) ?? isDeclaredIn(extension, revision))
      .map((method): [string, ExtensionMethod] => [name, method]),
  );
}

function eachOf(given: ExtensionMethod | readonly ExtensionMethod[]): readonly ExtensionMethod[] {
  return Array.isArray(given) ? (given as readonly ExtensionMethod[]) : [given as ExtensionMethod];
}

/** Collects what extensions add by name. Names come from clients, so this is a `Map`. Refuses a name that two of them use. */
function byName<T>(
  extensions: readonly ServerExtension[],
  what: string,
  list: (extension: ServerExtension) => readonly (readonly [name: string, added: T])[],
): Map<string, T> {
  const all = new Map<string, T>();
  const owners = new Map<string, string>();
  for (const extension of extensions) {
    for (const [name, added] of list(extension)) {
      const owner = owners.get(name);
      if (owner !== undefined) throw claimedTwice(`${what} "${name}"`, owner, extension.id);
      owners.set(name, extension.id);
      all.set(name, added);
    }
  }
  return all;
}
