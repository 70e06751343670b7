import { ErrorCode, RpcError } from "@toolwire/protocol";

/** The refusal of what takes a client that can be reached later, where each request stands for itself. */
export function noSession(what: string, code: number = ErrorCode.InvalidRequest): RpcError {
  return new RpcError(
    code,
    `${what} takes a session, and this request belongs to none. Open one with \`initialize\`; ` +
      "over HTTP, a server keeps sessions unless its option `sessions` is false.",
  );
}
