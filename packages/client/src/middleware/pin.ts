import type { CallToolParams, ListToolsResult, Tool } from "@toolwire/protocol";
import { expectFunction, expectOptions, isObject, quoteWords } from "@toolwire/protocol/internal";
import { invalidCall, isRecord } from "../check-options.ts";
import type { Fingerprints } from "../pins/fingerprint.ts";
import { type DecidePin, PinnedTools, type PinStore } from "../pins/pinned-tools.ts";
import { DeniedError } from "./approval.ts";
import type { ClientMiddleware } from "./middleware.ts";

/** The options of {@link pin}. */
export interface PinOptions {
  /**
   * The approved tools, as {@link fingerprintTools} makes them; or a store that keeps them. A store that has nothing yet gets the
   * first list.
   */
  readonly approved: Fingerprints | PinStore;
  /** Asked once about each tool that has changed or is new. Only `true` approves it. Default: nobody is asked, and it is refused. */
  readonly decide?: DecidePin | undefined;
}

/**
 * Middleware that refuses tools that have changed since they were approved, and tools that are new: a server can show harmless tools
 * when it is added, and others later. They are left out of lists, so that no model reads their descriptions, and a call of one rejects
 * with a {@link DeniedError} before anything is sent. Put it last, where it sees what is sent.
 *
 * It compares what servers say. A server that keeps the description of a tool, and lets the tool do something else, is not noticed.
 */
export function pin(options: PinOptions): ClientMiddleware {
  const example = "{ approved: await fingerprintTools(client.allTools()) }";
  if (!isRecord(options) || !isRecord(options.approved)) throw invalidCall("pin", example, options);
  expectOptions("pin", options, { approved: true, decide: true });
  const decide = expectFunction("decide", options.decide ?? (() => false));
  const pinned = new PinnedTools(storeOf(options.approved), decide);
  return async (call, next) => {
    if (call.method === "tools/list") {
      const { cursor } = (call.params ?? {}) as { readonly cursor?: string };
      return listAdmitted(pinned, (await next()) as ListToolsResult, cursor === undefined);
    }
    if (call.method !== "tools/call") return next();
    const { name } = call.params as CallToolParams;
    // The object that the client keeps is the same from call to call, and hashed once.
    const tool = call.tool ?? (await call.findTool());
    if (tool === undefined) {
      throw new DeniedError(
        `The server does not list the tool ${quoteWords(name)}, so it was never approved. Nothing was sent.`,
      );
    }
    if (await pinned.admits(tool)) return next();
    throw new DeniedError(
      `The tool ${quoteWords(name)} is not as it was approved: it has changed, was renamed, or is new. Look at it, and approve it ` +
        "with `decide`, or take its new fingerprint into `approved`. Nothing was sent.",
    );
  };
}

/** Leaves tools out of a page that are not as they were approved. */
async function listAdmitted(pinned: PinnedTools, result: ListToolsResult, isFirstPage: boolean): Promise<object> {
  const listed: readonly Tool[] = result.tools;
  const admitted: Tool[] = [];
  for (const tool of listed) if (await pinned.admits(tool)) admitted.push(tool);
  await pinned.sawPage(isFirstPage, result.nextCursor === undefined);
  return admitted.length === listed.length ? result : { ...result, tools: admitted };
}

function storeOf(approved: Fingerprints | PinStore): PinStore {
  if (isStore(approved)) return approved;
  return { load: () => approved, save() {} };
}

/** A tool may be called `load`: then it has a fingerprint, which is a text. */
function isStore(approved: Fingerprints | PinStore): approved is PinStore {
  return isObject(approved) && typeof approved["load"] === "function" && typeof approved["save"] === "function";
}
