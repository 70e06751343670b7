import {
  type CallToolParams,
  type ClientCapabilities,
  type JsonObject,
  MetaKey,
  type NotificationMessage,
  type Revision,
  UsageError,
} from "@toolwire/protocol";
import { encodeHeaderValue, isObject } from "@toolwire/protocol/internal";
import type { ToolCallOptions } from "../call-options.ts";
import type { Agreement } from "../eras/era.ts";
import { checkExtensions } from "./check-extensions.ts";
import type { ClientExtension, ExtendedNext, ExtensionClient, InterimResult } from "./extension.ts";

/** An interim result of an extension, and the client as that extension sees it. */
export interface FoundInterim {
  readonly interim: InterimResult;
  readonly client: ExtensionClient;
}

/** A call whose result may be an interim one. */
export interface AnsweredCall {
  readonly method: string;
  readonly params: object | undefined;
  readonly connection: { readonly agreement: Agreement };
}

type AddedMethod = NonNullable<ClientExtension["methods"]>[string] & { readonly extension: ClientExtension };

/** The extensions of a client: checked, and everything that they add by its name. */
export class ExtensionSet {
  readonly #all: readonly ClientExtension[];
  readonly #createClient: (extension: ClientExtension) => ExtensionClient;
  readonly #clients = new Map<ClientExtension, ExtensionClient>();
  readonly #apis = new Map<ClientExtension, object | undefined>();
  readonly #methods: ReadonlyMap<string, AddedMethod>;
  readonly #listeners: ReadonlyMap<string, ClientExtension>;
  readonly #interims: readonly (InterimResult & { readonly type: string; readonly extension: ClientExtension })[];
  /** The extensions with a `call` function. The first one is outermost. */
  readonly #around: readonly ClientExtension[];

  constructor(extensions: readonly ClientExtension[], createClient: (extension: ClientExtension) => ExtensionClient) {
    checkExtensions(extensions);
    this.#all = extensions;
    this.#createClient = createClient;
    const methodsOf = (extension: ClientExtension): [string, AddedMethod][] =>
      Object.entries(extension.methods ?? {}).map(([name, method]) => [name, { ...method, extension }]);
    this.#methods = new Map(extensions.flatMap(methodsOf));
    const listenersOf = (extension: ClientExtension): [string, ClientExtension][] =>
      Object.keys(extension.notifications ?? {}).map((name) => [name, extension]);
    this.#listeners = new Map(extensions.flatMap(listenersOf));
    this.#interims = extensions.flatMap((extension) =>
      Object.entries(extension.resultTypes ?? {}).map(([type, interim]) => ({ ...interim, type, extension })),
    );
    this.#around = extensions.filter(({ call }) => call !== undefined);
  }

  /** Adds what the extensions declare in a revision. What the client declares by itself wins, except for their own entries. */
  capabilitiesIn(revision: Revision, own: ClientCapabilities): ClientCapabilities {
    let added: ClientCapabilities = {};
    for (const { capabilities } of this.#all) added = { ...added, ...capabilities?.(revision) };
    const declared = this.#all.map((extension) => [extension.id, settingsIn(extension, revision)] as const);
    const extensions = {
      ...added.extensions,
      ...own.extensions,
      ...Object.fromEntries(declared.filter(([, settings]) => settings !== undefined)),
    };
    return { ...added, ...own, ...(Object.keys(extensions).length > 0 && { extensions }) };
  }

  /** Returns what an extension offers to the application. Throws if the client does not have it. */
  use<Api extends object | undefined>(extension: ClientExtension<Api>): Api {
    if (!this.#apis.has(extension)) {
      if (!this.#all.includes(extension)) throw notGiven(extension);
      this.#apis.set(extension, extension.api?.(this.#clientOf(extension)));
    }
    return this.#apis.get(extension) as Api;
  }

  /** The error for a method that the server cannot know, because it does not have the extension. `undefined` if it may. */
  refusalOf(method: string, { revision, capabilities }: Agreement): UsageError | undefined {
    const added = this.#methods.get(method);
    if (added === undefined) return undefined;
    const { extension, revisions } = added;
    const isDeclared = settingsIn(extension, revision) !== undefined;
    if (!(revisions?.includes(revision) ?? isDeclared)) {
      return new UsageError("UNSUPPORTED", `There is no ${method} in revision ${revision}.`);
    }
    if (!isDeclared || declaredSettings(extension, capabilities.extensions) !== undefined) return undefined;
    return new UsageError(
      "UNSUPPORTED",
      `The server has not declared the extension ${extension.id}, so it has no ${method}.`,
    );
  }

  /** The headers that repeat parameters of a request of an extension. */
  headersOf(method: string, params: object | undefined): Readonly<Record<string, string>> | undefined {
    const member = this.#methods.get(method)?.nameParam;
    const name =
      member === undefined ? undefined : (params as { readonly [member: string]: unknown } | undefined)?.[member];
    return typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : undefined;
  }

  /** Finds the extension that knows how to wait for the final result of a call, if the result is not final. */
  findInterim(call: AnsweredCall, result: object): FoundInterim | undefined {
    const { method, connection } = call;
    const { hasResultTypes } = connection.agreement.era;
    const given = result as JsonObject;
    const found = this.#interims.find(({ type, recognizes }) =>
      hasResultTypes ? given["resultType"] === type : recognizes?.(given) === true,
    );
    if (found === undefined || !found.methods.includes(method)) return undefined;
    const { extension } = found;
    // Without `resultType`, there is nothing to declare: the request itself has asked for such a result.
    if (hasResultTypes && !isDeclaredBy(call, extension)) return undefined;
    return { interim: found, client: this.#clientOf(extension) };
  }

  /** Runs the extensions around a call of a tool. */
  around(
    params: CallToolParams,
    options: ToolCallOptions,
    send: (params: CallToolParams, options: ToolCallOptions) => Promise<object>,
  ): Promise<object> {
    const enter = async (index: number, now: CallToolParams, given: ToolCallOptions): Promise<object> => {
      const extension = this.#around[index];
      if (extension === undefined) return send(now, given);
      const next: ExtendedNext = (changed) => enter(index + 1, changed?.params ?? now, changed?.options ?? given);
      return extension.call!({ params: now, options: given, client: this.#clientOf(extension) }, next);
    };
    return enter(0, params, options);
  }

  /** Whether anything runs around calls of tools. */
  get hasAround(): boolean {
    return this.#around.length > 0;
  }

  /** The listener for a notification of the server. */
  listenerOf({ method, params }: NotificationMessage): (() => unknown) | undefined {
    const extension = this.#listeners.get(method);
    const hear = extension?.notifications?.[method];
    if (extension === undefined || hear === undefined) return undefined;
    return () => hear((isObject(params) ? params : {}) as JsonObject, this.#clientOf(extension));
  }

  #clientOf(extension: ClientExtension): ExtensionClient {
    const client = this.#clients.get(extension) ?? this.#createClient(extension);
    this.#clients.set(extension, client);
    return client;
  }
}

/** The settings that an extension declares in a revision; `undefined` if it is not declared there. */
function settingsIn({ settings = {} }: ClientExtension, revision: Revision): JsonObject | undefined {
  return typeof settings === "function" ? settings(revision) : settings;
}

/** The settings of an extension in what the server declares, which is untrusted. */
export function declaredSettings({ id }: ClientExtension, extensions: object | undefined): JsonObject | undefined {
  if (!isObject(extensions) || !Object.hasOwn(extensions, id)) return undefined;
  const settings = extensions[id];
  return isObject(settings) ? (settings as JsonObject) : undefined;
}

/**
 * Whether both sides of a request have declared an extension. A gateway may declare the capabilities of its caller in place of the
 * client's.
 */
function isDeclaredBy({ params, connection }: AnsweredCall, extension: ClientExtension): boolean {
  const { revision, capabilities } = connection.agreement;
  if (settingsIn(extension, revision) === undefined) return false;
  if (declaredSettings(extension, capabilities.extensions) === undefined) return false;
  const meta = (params as { readonly _meta?: { readonly [key: string]: unknown } } | undefined)?._meta;
  const own = meta?.[MetaKey.ClientCapabilities];
  return !isObject(own) || declaredSettings(extension, own["extensions"] as object | undefined) !== undefined;
}

function notGiven(extension: ClientExtension): UsageError {
  const id: unknown = isObject(extension) ? extension["id"] : undefined;
  const name = typeof id === "string" ? `The extension ${JSON.stringify(id.slice(0, 140))}` : "This";
  return new UsageError(
    "INVALID_ARGUMENT",
    `${name} was not given to connect(). Pass the same object to both: connect(url, { extensions: [extension] }), client.use(extension).`,
  );
}
