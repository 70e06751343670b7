/** The prepared answers of the canned servers, which only have to copy them. */
import { LEGACY_REVISION, MODERN_REVISION } from "../workload/protocol.ts";
import { echoText } from "../workload/requests.ts";
import { echoTool } from "../workload/tools.ts";

/** The result of every `tools/call`. */
export function callResult(bytes: number): object {
  return { resultType: "complete", content: [{ type: "text", text: echoText(bytes) }] };
}

/** The result of anything else that a client may want to know before it calls; `undefined` for what does not exist. */
function otherResult(method: string): object | undefined {
  const serverInfo = { name: "canned", version: "1.0.0" };
  const capabilities = { tools: {} };
  const fresh = { resultType: "complete", ttlMs: 3_600_000, cacheScope: "public" };
  if (method === "server/discover") {
    return { ...fresh, supportedVersions: [MODERN_REVISION], capabilities, serverInfo };
  }
  if (method === "tools/list") return { ...fresh, tools: [echoTool] };
  if (method === "initialize") return { protocolVersion: LEGACY_REVISION, capabilities, serverInfo };
  return method === "ping" ? {} : undefined;
}

/** A response to a message that is no call, or `undefined` for notifications. */
export function answerOther(message: { readonly id?: unknown; readonly method?: string }): object | undefined {
  const { id, method = "" } = message;
  if (id === undefined) return undefined;
  const result = otherResult(method);
  const error = { code: -32601, message: `There is no method ${method}.` };
  return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
}

/** A response to a call, in two parts between which the id goes. */
export function callResponse(bytes: number): [string, string] {
  return [`{"jsonrpc":"2.0","id":`, `,"result":${JSON.stringify(callResult(bytes))}}`];
}

/** Finds the id of a call in its bytes, without parsing them: a number or a string, as it stands there. */
export function findCallId(message: Buffer): string | undefined {
  if (message.indexOf(`"tools/call"`, 0, "latin1") === -1) return undefined;
  const start = message.indexOf(`"id":`, 0, "latin1");
  if (start === -1) return undefined;
  let end = start + 5;
  while (message[end] !== COMMA && message[end] !== CLOSING_BRACE) end++;
  return message.toString("latin1", start + 5, end);
}

const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;
