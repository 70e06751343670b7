import {
  ErrorCode,
  readProtocolVersion,
  readRequestMeta,
  RpcError,
  type PerRequestMeta,
  type RequestMessage,
} from "@toolwire/protocol";
import { decodeHeaderValue } from "@toolwire/protocol/header-values";
import { unsupportedRevision } from "../errors.ts";
import { speaks } from "../serving/speaks.ts";
import type { HttpCall } from "./call.ts";

/** Which member of `params` the `Mcp-Name` header repeats. */
const NAMED_BY: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/**
 * Checks that the headers of a modern request are there and say what its body says (2026-07-28, "Server Validation"): a
 * gateway may have decided by the headers, and the server acts by the body. Returns what the request says about
 * itself. Throws the `RpcError` to refuse it with; the status is 400 for all of them.
 */
export function checkModernRequest(request: RequestMessage, call: HttpCall): PerRequestMeta {
  const { serving } = call.endpoint;
  const { method, params } = request;
  const version = readProtocolVersion(params);
  expectHeader(call, "MCP-Protocol-Version", '_meta["io.modelcontextprotocol/protocolVersion"]', version);
  if (!speaks(serving, version)) throw unsupportedRevision(version, serving.revisions, "");
  const meta = readRequestMeta(params);
  expectHeader(call, "Mcp-Method", "method", method);
  const member = NAMED_BY.get(method);
  if (member !== undefined) {
    const { [member]: name } = params as { readonly name?: unknown; readonly uri?: unknown };
    // A body without a name is refused for that, in the words of its method.
    if (typeof name === "string") expectHeader(call, "Mcp-Name", `params.${member}`, name, decodeHeaderValue);
  }
  return meta;
}

function expectHeader(
  call: HttpCall,
  name: string,
  source: string,
  expected: string,
  decode: (value: string) => string | undefined = (value) => value,
): void {
  const value = call.header(name.toLowerCase());
  if (value !== undefined && decode(value) === expected) return;
  const problem = value === undefined ? "is missing" : `says ${JSON.stringify(value)}`;
  throw new RpcError(
    ErrorCode.HeaderMismatch,
    `Header mismatch: ${name} ${problem}; it must repeat ${source} of the body, ${JSON.stringify(expected)}.`,
  );
}
