import {
  LATEST_LEGACY_REVISION,
  MalformedMessage,
  readMessage,
  type RequestMessage,
  RpcError,
} from "@toolwire/protocol";
import { type HttpRequest, isJsonType } from "./request.ts";
import {
  claimsModernEra,
  decodeHeaderValue,
  NAMED_BY,
  type PerRequestMeta,
  readProtocolVersion,
  readRequestMeta,
} from "@toolwire/protocol/internal";
import { expectSpoken, speaks } from "../../binding.ts";
import { ModernAnswer, serveRequest } from "./response.ts";
import type { LegacyEndpoint } from "../../legacy/http/endpoint.ts";

/**
 * Reads the body of a POST as a JSON value, within the limits, and refuses what is none. `accept` does what it asks for, and
 * throws a `MalformedMessage` if it is not of the right shape.
 */
export function readJson(call: HttpRequest, accept: (value: unknown) => void): void {
  if (!isJsonType(call.header("content-type"))) {
    call.turnAway((from) => from.unsupportedMediaType());
    return;
  }
  call.adapter.readBody(call.endpoint.settings.maxBodyBytes, (body) => {
    if (typeof body === "string") {
      call.turnAway((from) => from.bodyNotReadable(call, body));
      return;
    }
    let value: unknown;
    try {
      value = "text" in body ? JSON.parse(body.text) : body.value;
    } catch (error) {
      call.turnAway((from) => from.bodyNotParsable(call, `JSON: ${(error as Error).message}`));
      return;
    }
    if (!call.endpoint.isOpenFor(call, value)) return;
    try {
      accept(value);
    } catch (error) {
      if (error instanceof MalformedMessage) call.endpoint.legacy?.hearMalformed(call, error);
      call.turnAway((from) => from.notAMessage(call, error));
    }
  });
}

/**
 * What a modern request says about itself; `undefined` if it was refused, with a 400. Its headers have to be there and say
 * what its body says (2026-07-28, "Server Validation"): a gateway may have decided by the headers, and the server acts by
 * the body.
 */
export function readModernMeta({ id, method, params }: RequestMessage, call: HttpRequest): PerRequestMeta | undefined {
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
    call.turnAway((from) => from.protocolError(error, id));
  }
  return undefined;

  function repeats(name: string, source: string, expected: string, decode: typeof decodeHeaderValue = String): boolean {
    const value = call.header(name.toLowerCase());
    const said = value && decode(value);
    return said === expected || call.turnAway((from) => from.headerMismatch(name, value, said, source, expected, id));
  }
}

/** Takes the body of a POST and sees that the message in it is answered by the rules of its era. */
export function acceptPost(call: HttpRequest, value: unknown): void {
  const withLegacy = (take: (legacy: LegacyEndpoint) => void): void => call.endpoint.withLegacy(call, take, value);
  if (Array.isArray(value)) return withLegacy((legacy) => legacy.acceptBatch(call, value));
  const message = readMessage(value);
  if (!("method" in message)) return withLegacy((legacy) => legacy.acceptResponse(call, message));
  // The modern era defines no notifications over HTTP. Extensions may, and then they are heard in the same way.
  if (!("id" in message)) return withLegacy((legacy) => legacy.acceptNotification(call, message));
  if (isModern(message, call)) acceptRequest(call, message);
  else withLegacy((legacy) => legacy.acceptRequest(call, message));
}

function acceptRequest(call: HttpRequest, request: RequestMessage): void {
  const { id, method } = request;
  const meta = readModernMeta(request, call);
  if (meta === undefined) return;
  const { json, events } = call.accepts;
  if (method === "subscriptions/listen" ? !events : !json && !events) call.turnAway((from) => from.notAcceptable(id));
  else serveRequest(request, new ModernAnswer(call, id, method), meta);
}

/** Whether the modern rules apply. `initialize` opens the legacy era unless it claims otherwise itself. */
function isModern({ method, params }: RequestMessage, call: HttpRequest): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  // A version that nobody speaks is refused for that, whatever else the request lacks.
  const version = call.header("mcp-protocol-version") ?? "";
  return version > LATEST_LEGACY_REVISION && speaks(call.endpoint.serving, version);
}
