/**
 * Requests as bytes that are prepared once: only the digits of the id change from call to call, and since all ids
 * have the same number of them, so do neither the length nor `Content-Length`.
 */
import { LEGACY_REVISION, MODERN_META_KEYS, MODERN_REVISION } from "./protocol.ts";
import type { Call } from "./scenario.ts";

const FIRST_ID = 100_000_000;
const ID_DIGITS = 9;

/** A whole request in bytes, and where the digits of its id stand. */
export interface PreparedRequest {
  readonly bytes: Buffer;
  readonly idOffset: number;
}

/** Ids that never repeat within a process and are always nine digits long. */
export class Ids {
  #next = FIRST_ID;

  next(): number {
    return this.#next++;
  }
}

/** Writes an id over the one that stands in a copy of a prepared request. */
export function writeId(bytes: Buffer, offset: number, id: number): void {
  let rest = id;
  for (let i = offset + ID_DIGITS - 1; i >= offset; i--) {
    bytes[i] = 0x30 + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
}

/** The text that `echo` is sent, `bytes` long. */
export function echoText(bytes: number): string {
  const sentence = "The quick brown fox jumps over the lazy dog and says: good morning. ";
  return sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
}

/** The numbers that `sum` is sent. */
export const SUMMANDS = { a: 19, b: 23 } as const;

/** The parameters of a call, with what its era wants in `_meta`. */
export function callParams(call: Call, era: "modern" | "legacy"): Record<string, unknown> {
  const meta = era === "modern" ? { _meta: modernMeta() } : {};
  if (call.kind === "list") return meta;
  if (call.kind === "sum") return { name: "sum", arguments: SUMMANDS, ...meta };
  return { name: "echo", arguments: { text: echoText(call.bytes) }, ...meta };
}

/** The method of a call. */
export function callMethod(call: Call): "tools/call" | "tools/list" {
  return call.kind === "list" ? "tools/list" : "tools/call";
}

/** The description of the client in every modern request. */
function modernMeta(): Record<string, unknown> {
  return {
    [MODERN_META_KEYS.revision]: MODERN_REVISION,
    [MODERN_META_KEYS.clientInfo]: { name: "bench", version: "1.0.0" },
    [MODERN_META_KEYS.clientCapabilities]: {},
  };
}

/** A JSON-RPC request, followed by `ending`. */
export function prepareMessage(method: string, params: object, ending = ""): PreparedRequest {
  const opening = `{"jsonrpc":"2.0","id":`;
  const text = `${opening}${FIRST_ID},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}${ending}`;
  return { bytes: Buffer.from(text), idOffset: opening.length };
}

/** The same as an HTTP/1.1 POST to a server on this machine. */
export function preparePost(
  message: PreparedRequest,
  address: { readonly port: number; readonly headers: Readonly<Record<string, string>>; readonly path?: string },
): PreparedRequest {
  const headers = {
    Host: `127.0.0.1:${address.port}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Content-Length": message.bytes.length,
    ...address.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`POST ${address.path ?? "/mcp"} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return { bytes: Buffer.concat([head, message.bytes]), idOffset: head.length + message.idOffset };
}

/** The headers that mirror a call for proxies, which modern servers compare with the body; legacy ones know the first. */
export function protocolHeaders(call: Call, era: "modern" | "legacy"): Record<string, string> {
  if (era === "legacy") return { "MCP-Protocol-Version": LEGACY_REVISION };
  return {
    "MCP-Protocol-Version": MODERN_REVISION,
    "Mcp-Method": callMethod(call),
    ...(call.kind !== "list" && { "Mcp-Name": call.kind }),
  };
}
