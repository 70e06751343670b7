import type { ContentBlock, LoggingLevel, Tool } from "@toolwire/protocol";
import { readToolViewMeta, TOOL_PREFIX_META } from "@toolwire/protocol/views";
import { CODES, isRecord, METHODS, ViewError } from "../messages/message.ts";
import type { DisplayMode } from "../model/context.ts";
import type { MountViewOptions, ViewAction } from "./options.ts";

/** The parameters of a request, which may be anything. */
export type Params = { readonly [param: string]: unknown };

/** What a request needs to know of the view that has sent it. */
export interface Requester {
  readonly options: MountViewOptions;
  /** Aborts when the view is gone. */
  readonly signal: AbortSignal;
  readonly displayMode: DisplayMode;
  /** Whether the view supports a mode. */
  readonly supports: (mode: DisplayMode) => boolean;
}

/** Answers a request that a view may send once it has begun. Everything that has an effect outside of the frame is approved first. */
export async function answerView(method: string, params: Params, requester: Requester): Promise<object> {
  const { options } = requester;
  if (method === "ping") return {};
  if (method === "tools/call" && options.server?.callTool !== undefined) return callTool(params, requester);
  if (method === "resources/read" && options.server?.readResource !== undefined) return readResource(params, requester);
  if (method === METHODS.openLink) return openLink(params, requester);
  if (method === METHODS.message && options.sendMessage !== undefined) return sendMessage(params, requester);
  if (method === METHODS.updateContext && options.updateContext !== undefined) return updateContext(params, options);
  if (method === METHODS.requestDisplayMode) return changeDisplayMode(params, requester);
  throw new ViewError(CODES.unknownMethod, `This host does not answer ${method.slice(0, 100)}.`);
}

/** Calls a tool, if views may ("Visibility") and the user agrees. */
async function callTool({ name, arguments: given = {} }: Params, requester: Requester): Promise<object> {
  const { server } = requester.options;
  if (typeof name !== "string" || !isRecord(given)) {
    throw new ViewError(CODES.invalidParams, "A call has a `name`, and `arguments` that are an object.");
  }
  const tool = await findTool(name, requester.options);
  // A tool that views may not call is refused as one that does not exist.
  if (tool === undefined || !readToolViewMeta(tool._meta).visibility.includes("app")) {
    throw new ViewError(CODES.invalidParams, `Views cannot call a tool named ${JSON.stringify(name.slice(0, 100))}.`);
  }
  // What is approved is what is sent: nobody else has these objects.
  const args = structuredClone(given);
  await expectApproval({ kind: "callTool", tool, arguments: given }, requester);
  return (await server?.callTool?.(tool.name, args, { signal: requester.signal })) ?? {};
}

/**
 * Finds a tool for a view, by the name that its own server has for it. If another server offers the tools under names of its own, those begin
 * with a prefix, and a view cannot call tools without it: they belong to other servers.
 */
async function findTool(name: string, { server, tool }: MountViewOptions): Promise<Tool | undefined> {
  const prefix = tool?._meta?.[TOOL_PREFIX_META];
  if (typeof prefix !== "string") return server?.findTool?.(name);
  const found = await server?.findTool?.(prefix + name);
  return found ?? (name.startsWith(prefix) ? server?.findTool?.(name) : undefined);
}

async function readResource({ uri }: Params, requester: Requester): Promise<object> {
  if (typeof uri !== "string") throw new ViewError(CODES.invalidParams, "A resource has a `uri`.");
  await expectApproval({ kind: "readResource", uri }, requester);
  return (await requester.options.server?.readResource?.(uri, { signal: requester.signal })) ?? {};
}

async function openLink({ url: given }: Params, requester: Requester): Promise<object> {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  // `javascript:` and `data:` would run in the host, and other schemes start programs.
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new ViewError(CODES.invalidParams, "A link begins with https: or http:.");
  }
  await expectApproval({ kind: "openLink", url: url.href }, requester);
  const { openLink: open = openTab } = requester.options;
  open(url.href);
  return {};
}

function openTab(url: string): void {
  window.open(url, "_blank", "noopener,noreferrer");
}

async function sendMessage({ role, content }: Params, requester: Requester): Promise<object> {
  // The extension has one block; its official package sends a list.
  const blocks = Array.isArray(content) ? (content as unknown[]) : [content];
  if (role !== "user" || !blocks.every(isBlock)) {
    throw new ViewError(CODES.invalidParams, 'A message has the `role` "user", and `content` blocks.');
  }
  await expectApproval({ kind: "sendMessage", content: blocks }, requester);
  await requester.options.sendMessage?.(blocks);
  return {};
}

async function updateContext(params: Params, { updateContext: update }: MountViewOptions): Promise<object> {
  const { content, structuredContent } = params;
  const isWellFormed =
    (content === undefined || (Array.isArray(content) && content.every(isBlock))) &&
    (structuredContent === undefined || isRecord(structuredContent));
  if (!isWellFormed) {
    throw new ViewError(CODES.invalidParams, "`content` is a list of blocks, `structuredContent` an object.");
  }
  await update?.({
    ...(content !== undefined && { content: content as ContentBlock[] }),
    ...(structuredContent !== undefined && { structuredContent: structuredContent as Params }),
  });
  return {};
}

/** Changes the mode if host and view support it, and says in any case which one it is ("Display Modes"). */
async function changeDisplayMode({ mode }: Params, requester: Requester): Promise<object> {
  const { options, displayMode, supports } = requester;
  const isOffered = options.context?.availableDisplayModes?.includes(mode as DisplayMode) === true;
  if (!isOffered || !supports(mode as DisplayMode) || options.changeDisplayMode === undefined) {
    return { mode: displayMode };
  }
  return { mode: await options.changeDisplayMode(mode as DisplayMode) };
}

/** Throws unless what a view wants is approved. It waits for the user as long as the view is there. */
async function expectApproval(action: ViewAction, { options, signal }: Requester): Promise<void> {
  // Only `true` counts, since an object that says no would be true as well.
  const decision: unknown = await options.approve?.(action, signal);
  if (decision !== true || signal.aborted) throw new ViewError(CODES.refused, "The user did not agree.");
}

function isBlock(block: unknown): block is ContentBlock {
  return isRecord(block) && typeof block["type"] === "string";
}

/** Passes on what a view writes into the log. */
export function hearLog({ level, data }: Params, { onLog }: MountViewOptions): void {
  if (typeof level === "string") onLog?.(level as LoggingLevel, data);
}
