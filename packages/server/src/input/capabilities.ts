import { ErrorCode, hasFeature, RpcError, type ClientCapabilities, type CreateMessageParams } from "@toolwire/protocol";
import { noSession } from "../legacy/no-session.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Refuses to ask a user whose client cannot. Without its modes, `elicitation` means forms. */
export function requireElicitation(call: ServedRequest, mode: "form" | "url"): void {
  const { elicitation } = call.clientCapabilities;
  const isDeclared =
    elicitation?.[mode] !== undefined ||
    (mode === "form" && elicitation !== undefined && elicitation.url === undefined);
  const exists = hasFeature(call.revision, mode === "url" ? "urlElicitation" : "elicitation");
  if (!isDeclared || !exists) throw missing(call, { elicitation: { [mode]: {} } });
}

/** Refuses to ask the model of a client that has none to offer. */
export function requireSampling(call: ServedRequest, params: CreateMessageParams): void {
  const { sampling } = call.clientCapabilities;
  const needsTools = params.tools !== undefined || params.toolChoice !== undefined;
  const needsContext = params.includeContext !== undefined && params.includeContext !== "none";
  const needed = { ...(needsTools && { tools: {} }), ...(needsContext && { context: {} }) };
  const lacksTools = needsTools && sampling?.tools === undefined;
  // Before 2025-11-25 a client could not say whether it can add context.
  const lacksContext = needsContext && sampling?.context === undefined && hasFeature(call.revision, "samplingTools");
  if (sampling === undefined || lacksTools || lacksContext) throw missing(call, { sampling: needed });
}

/** Refuses to ask for the roots of a client without any. */
export function requireRoots(call: ServedRequest): void {
  if (call.clientCapabilities.roots === undefined) throw missing(call, { roots: {} });
}

function missing({ perRequest, session }: ServedRequest, requiredCapabilities: ClientCapabilities): RpcError {
  // Whether the client could answer, nobody knows: it has said so in a handshake of which nothing is left.
  if (perRequest === undefined && session === undefined) return noSession("Asking the client");
  const names = Object.keys(requiredCapabilities).join(", ");
  return new RpcError(
    ErrorCode.MissingRequiredClientCapability,
    `This request needs a client with the capability ${names}, which was not declared.`,
    { data: { requiredCapabilities } },
  );
}
