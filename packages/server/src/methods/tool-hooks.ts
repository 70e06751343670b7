/** Runs what extensions do around calls of a tool. */
import {
  MetaKey,
  UsageError,
  type CallToolParams,
  type CallToolResult,
  type InputRequiredResult,
  type Tool,
  type Validation,
} from "@toolwire/protocol";
import type { Context } from "../define/context.ts";
import type { StoredCall } from "../define/extension-host.ts";
import type { CallJournal, DetachedCall, DetachedRun, ExtendedCall } from "../define/tool-hooks.ts";
import { type AddedToolHooks, isDeclaredIn } from "../extensions/compiled-extensions.ts";
import type { CompiledTool } from "../registry/tools.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { declares } from "./added-methods.ts";

type Next = () => Promise<CallToolResult | InputRequiredResult>;

/** Runs the hooks of a tool, the first extension outermost, and the tool inside of them. */
export async function runHooks(
  request: ServedRequest,
  tool: CompiledTool,
  params: CallToolParams,
  hooks: readonly AddedToolHooks[],
  run: () => object | Promise<object>,
): Promise<object> {
  const chain = hooks.reduceRight<() => Promise<object>>(
    (next, added) =>
      added.hooks.call === undefined
        ? next
        : async () =>
            added.hooks.call?.(new HookedCall(request, tool, params, added.extension), next as Next) as object,
    async () => run(),
  );
  return chain();
}

/** The metadata that belongs to one request. Its trace goes on, since the work does. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set([
  MetaKey.ProtocolVersion,
  MetaKey.ClientInfo,
  MetaKey.ClientCapabilities,
  MetaKey.LogLevel,
  MetaKey.ProgressToken,
]);

/** A call as an extension sees it. */
class HookedCall implements ExtendedCall {
  readonly params: CallToolParams;
  readonly #request: ServedRequest;
  readonly #tool: CompiledTool;
  readonly #extension: AddedToolHooks["extension"];

  constructor(
    request: ServedRequest,
    tool: CompiledTool,
    params: CallToolParams,
    extension: AddedToolHooks["extension"],
  ) {
    this.#request = request;
    this.#tool = tool;
    this.params = params;
    this.#extension = extension;
  }

  get tool(): Tool {
    return this.#tool.listing;
  }

  get context(): Context {
    return this.#request.context;
  }

  get isDeclared(): boolean {
    const { revision, clientCapabilities } = this.#request;
    return isDeclaredIn(this.#extension, revision) && declares(clientCapabilities, this.#extension.id);
  }

  get run(): DetachedRun | undefined {
    return this.#request.run;
  }

  stored(): StoredCall {
    const { revision, principal, origin, identity } = this.#request;
    const { clientInfo, clientCapabilities } = identity;
    const { requestState: _state, inputResponses: _answers, _meta, ...params } = this.params;
    const own = Object.entries(_meta ?? {}).filter(([key]) => !OF_THE_REQUEST.has(key));
    return {
      params: own.length === 0 ? params : { ...params, _meta: Object.fromEntries(own) },
      revision,
      principal,
      isLocal: origin.isLocal === true,
      clientInfo,
      clientCapabilities,
    };
  }

  async validate(): Promise<Validation> {
    return this.#tool.input(this.params.arguments ?? {});
  }

  journal(): CallJournal {
    return this.#request.journal();
  }

  answerEarly(result: object, run: DetachedRun): DetachedCall {
    const { resultType } = result as { readonly resultType?: string };
    const { id, resultTypes = [] } = this.#extension;
    if (resultType !== undefined && !resultTypes.includes(resultType)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `extension "${id}": "${resultType}" is not one of its \`resultTypes\`, so clients would refuse it.`,
      );
    }
    this.#request.answerEarly(result, run);
    return { abort: (reason) => this.#request.abort(reason) };
  }
}
