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
const NAMED_BY: { readonly [method: string]: "name" | "uri" } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * Checks that the headers of a modern request are there and say what its body says (2026-07-28, "Server Validation"): a
 * gateway may have decided by the headers, and the server acts by the body. Returns what the request says about
 * itself. Throws the `RpcError` to refuse it with; the status is 400 for all of them.
 */
export function checkModernRequest(request: RequestMessage, call: HttpCall): PerRequestMeta {
  const { serving } = call.endpoint;
  const { method, params } = request;
  const version = readProtocolVersion(params);
  expectHeader(
    "MCP-Protocol-Version",
    call.header("mcp-protocol-version"),
    version,
    '_meta["io.modelcontextprotocol/protocolVersion"]',
  );
  if (!speaks(serving, version)) throw unsupportedRevision(version, serving.revisions, "");
  const meta = readRequestMeta(params);
  expectHeader("Mcp-Method", call.header("mcp-method"), method, "method");
  if (Object.hasOwn(NAMED_BY, method)) checkName(request, call);
  return meta;
}

function checkName({ method, params }: RequestMessage, call: HttpCall): void {
  const member = NAMED_BY[method] ?? "name";
  const { [member]: name } = params as { readonly name?: unknown; readonly uri?: unknown };
  // A body without a name is refused for that, in the words of its method.
  if (typeof name !== "string") return;
  const header = call.header("mcp-name");
  const decoded = header === undefined ? undefined : decodeHeaderValue(header);
  if (header !== undefined && decoded === undefined) {
    throw mismatch(`the Mcp-Name header ${JSON.stringify(header)} is not a valid header value`);
  }
  expectHeader("Mcp-Name", decoded, name, `params.${member}`);
}

function expectHeader(name: string, value: string | undefined, expected: string, source: string): void {
  if (value === expected) return;
  if (value === undefined) throw mismatch(`the ${name} header is missing; it must repeat ${source} of the body`);
  throw mismatch(
    `the ${name} header says ${JSON.stringify(value)}, but ${source} of the body is ${JSON.stringify(expected)}`,
  );
}

function mismatch(problem: string): RpcError {
  return new RpcError(ErrorCode.HeaderMismatch, `Header mismatch: ${problem}.`);
}
