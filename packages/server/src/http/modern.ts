import {
  readProtocolVersion,
  readRequestMeta,
  type PerRequestMeta,
  decodeHeaderValue,
  NAMED_BY,
} from "@toolwire/protocol/internal";
import { RpcError, type RequestMessage } from "@toolwire/protocol";
import { expectSpoken } from "../serving/speaks.ts";
import type { HttpCall } from "./call.ts";

/**
 * What a modern request says about itself; `undefined` if it was refused, with a 400. Its headers have to be there and say
 * what its body says (2026-07-28, "Server Validation"): a gateway may have decided by the headers, and the server acts by
 * the body.
 */
export function readModernMeta({ id, method, params }: RequestMessage, call: HttpCall): PerRequestMeta | undefined {
  try {
    const version = readProtocolVersion(params);
    if (!repeats("MCP-Protocol-Version", '_meta["io.modelcontextprotocol/protocolVersion"]', version)) return undefined;
    expectSpoken(call.endpoint.serving, version);
    const meta = readRequestMeta(params);
    if (!repeats("Mcp-Method", "method", method)) return undefined;
    const member = NAMED_BY.get(method);
    const name = member && (params as { readonly name?: unknown; readonly uri?: unknown })[member];
    // A body without a name is refused for that, in the words of its method.
    if (typeof name !== "string" || repeats("Mcp-Name", `params.${member}`, name, decodeHeaderValue)) return meta;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    call.turnAway((from) => from.ruledOut(error, id));
  }
  return undefined;

  function repeats(name: string, source: string, expected: string, decode: typeof decodeHeaderValue = String): boolean {
    const value = call.header(name.toLowerCase());
    const said = value && decode(value);
    return said === expected || call.turnAway((from) => from.mismatch(name, value, said, source, expected, id));
  }
}
