import { ErrorCode, RpcError, type CallToolParams } from "@toolwire/protocol";
import { checkHeaders, type HeaderAnnotation } from "@toolwire/protocol/internal";
import type { ServedRequest } from "../request/served-request.ts";

/**
 * Sees that headers repeat what the arguments of a call say, as they came (2026-07-28, "Custom Headers from Tool
 * Parameters"). Few tools want that, so this is loaded with the first call of one that does.
 */
export function expectRepeated({ request, origin }: ServedRequest, headers: readonly HeaderAnnotation[]): void {
  const { arguments: args } = request.params as CallToolParams;
  const problem = checkHeaders(headers, args, (name) => origin.header?.(name.toLowerCase()));
  if (problem !== undefined) throw new RpcError(ErrorCode.HeaderMismatch, problem);
}
