import {
  type CallToolParams,
  type Tool,
  type ToolAnnotations,
  ToolwireError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
import { brandError } from "@toolwire/protocol/internal";
import { invalidCall } from "../check-options.ts";
import { copyAsSent } from "./audit-calls.ts";
import type { CalledServer, ClientMiddleware } from "./middleware.ts";

/** A call was denied by {@link approval}. Nothing was sent. */
export class DeniedError extends ToolwireError {
  static {
    brandError(this, "DeniedError");
  }

  override readonly name: string = "DeniedError";
  readonly code = "DENIED";
}

/** A tool call to approve or to deny. */
export interface ApprovalRequest {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments that would be sent. Show all of them: they may contain what should not be sent. */
  readonly arguments: { readonly [argument: string]: unknown };
  /** The tool as its server describes it. `undefined` if the server does not list it, or cannot list its tools. */
  readonly tool: Tool | undefined;
  /** The behaviour of the tool, according to its server. Untrusted: a tool that deletes can claim that it only reads. */
  readonly annotations: ToolAnnotations;
  readonly server: CalledServer;
  readonly signal: AbortSignal | undefined;
}

/** `true` approves the call. `false`, or an object with a reason, denies it. */
export type ApprovalDecision = boolean | { readonly approved: boolean; readonly reason?: string | undefined };

/**
 * Middleware that asks before any tool is called. A denied call is never sent, and rejects with a {@link DeniedError}.
 */
export function approval(
  decide: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>,
): ClientMiddleware {
  if (typeof decide !== "function") {
    throw invalidCall("approval", "a function that decides: approval(decide)", decide);
  }
  return async (call, next) => {
    if (call.method !== "tools/call") return next();
    const { server, options } = call;
    const given = call.params as CallToolParams;
    const args = copyAsSent(given.arguments) as CallToolParams["arguments"];
    if (args === undefined && given.arguments !== undefined) {
      // Arguments that JSON would change cannot be approved, because other ones would be sent.
      throw new UsageError("INVALID_ARGUMENT", `The arguments of "${given.name}" are no JSON value.`);
    }
    // Exactly the approved arguments are sent, even if the caller changes its object meanwhile.
    const params = args === undefined ? given : { ...given, arguments: args };
    const { name } = params;
    const tool = await call.findTool().catch((error: unknown) => {
      // A decision is possible without a description, but not without time.
      if (error instanceof TransportError && error.code === "TIMEOUT") throw error;
      return undefined;
    });
    // The user is not asked about a call that was cancelled.
    options.signal?.throwIfAborted();
    const annotations = tool?.annotations ?? {};
    const { arguments: shown = {} } = params;
    const decision = await decide({ name, arguments: shown, tool, annotations, server, signal: options.signal });
    const { approved, reason } = typeof decision === "boolean" ? { approved: decision, reason: undefined } : decision;
    if (approved) return next(params);
    const why = reason === undefined ? "" : `: ${reason}`;
    throw new DeniedError(`The call of "${name}" was not approved${why}. Nothing was sent.`);
  };
}
