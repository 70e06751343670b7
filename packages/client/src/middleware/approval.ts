import { TransportError, UsageError, type CallToolParams, type Tool, type ToolAnnotations } from "@toolwire/protocol";
import { explain } from "../check-options.ts";
import { copyAsSent } from "./audit-log.ts";
import type { CalledServer, Middleware } from "./run-middleware.ts";

/** A tool call to approve or to deny. */
export interface ApprovalRequest {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments that would be sent. Show all of them: they may contain what should not be sent. */
  readonly arguments: { readonly [argument: string]: unknown };
  /** The tool as its server describes it. `undefined` if the server does not list it, or cannot list its tools. */
  readonly tool: Tool | undefined;
  /** What the tool does, according to its server. Untrusted: a tool that deletes can claim that it only reads. */
  readonly annotations: ToolAnnotations;
  readonly server: CalledServer;
  readonly signal: AbortSignal | undefined;
}

/** `true` approves the call. `false`, or an object with a reason, denies it. */
export type ApprovalDecision = boolean | { readonly approved: boolean; readonly reason?: string | undefined };

/**
 * Middleware that asks before any tool is called. A denied call is never sent, and rejects with a `UsageError` DENIED.
 */
export function approval(
  decide: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>,
): Middleware {
  if (typeof decide !== "function") throw explain("approval", decide);
  return async (call, next) => {
    if (call.method !== "tools/call") return next();
    const { server, options } = call;
    const given = call.params as CallToolParams;
    const args = copyAsSent(given.arguments) as CallToolParams["arguments"];
    if (args === undefined && given.arguments !== undefined) {
      // Nobody can approve what cannot be sent as it is: it would have to change first.
      throw new UsageError("INVALID_ARGUMENT", `The arguments of "${given.name}" are no JSON value.`);
    }
    // What is approved is what is sent, whatever becomes of the caller's own object while somebody thinks about it.
    const params = args === undefined ? given : { ...given, arguments: args };
    const { name } = params;
    const tool = await call.findTool().catch((error: unknown) => {
      // Somebody can decide without a description, but nothing can be sent without time.
      if (error instanceof TransportError && error.code === "TIMEOUT") throw error;
      return undefined;
    });
    // Nobody is asked about a call that nobody waits for any more.
    options.signal?.throwIfAborted();
    const annotations = tool?.annotations ?? {};
    const { arguments: shown = {} } = params;
    const decision = await decide({ name, arguments: shown, tool, annotations, server, signal: options.signal });
    const { approved, reason } = typeof decision === "boolean" ? { approved: decision, reason: undefined } : decision;
    if (approved) return next(params);
    const why = reason === undefined ? "" : `: ${reason}`;
    throw new UsageError("DENIED", `The call of "${name}" was not approved${why}. Nothing was sent.`);
  };
}
