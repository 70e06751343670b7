import { MetaKey, type Message } from "@toolwire/protocol";
import { encodeHeaderValue } from "@toolwire/protocol/header-values";

/** Which parameter names what a request is about; the `Mcp-Name` header mirrors it (2026-07-28). */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

type Fields = { readonly [key: string]: unknown };

/**
 * The revision that a modern message says it is written in, or `undefined` for a legacy one. Modern requests carry it
 * in `_meta`, and their headers have to repeat it.
 */
export function modernRevisionOf(message: Message): string | undefined {
  if (!("method" in message)) return undefined;
  const meta = (message.params as Fields | undefined)?.["_meta"] as Fields | undefined;
  const revision = meta?.[MetaKey.ProtocolVersion];
  return typeof revision === "string" ? revision : undefined;
}

/** Adds the headers that repeat parts of a modern request, so that intermediaries need not parse its body. */
export function addModernHeaders(headers: Record<string, string>, message: Message, revision: string): void {
  headers["mcp-protocol-version"] = revision;
  if (!("method" in message)) return;
  headers["mcp-method"] = message.method;
  const key = NAMED_BY[message.method];
  const name = key === undefined ? undefined : (message.params as Fields | undefined)?.[key];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
}
