import { MetaKey, type Message } from "@toolwire/protocol";
import { encodeHeaderValue, NAMED_BY } from "@toolwire/protocol/internal";

type Fields = { readonly [key: string]: unknown };

/**
 * The headers that repeat parts of a modern message, so that intermediaries need not parse its body. `undefined` for a
 * legacy one: only modern messages say in their `_meta` which revision they are written in.
 */
export function modernHeaders(message: Message): Readonly<Record<string, string>> | undefined {
  if (!("method" in message)) return undefined;
  const { method } = message;
  const params = (message.params ?? {}) as Fields;
  const revision = (params["_meta"] as Fields | undefined)?.[MetaKey.ProtocolVersion];
  if (typeof revision !== "string") return undefined;
  const headers: Record<string, string> = { "mcp-protocol-version": revision, "mcp-method": method };
  const key = NAMED_BY.get(method);
  const name = key === undefined ? undefined : params[key];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}
