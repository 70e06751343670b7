import { LATEST_LEGACY_REVISION, MalformedMessage, readMessage, type RequestMessage } from "@toolwire/protocol";
import { type HttpCall, isJsonType } from "./request.ts";
import { claimsModernEra } from "@toolwire/protocol/internal";
import { speaksRevision } from "../../binding.ts";
import { ModernAnswer, serveRequest } from "./response.ts";
import type { LegacyEndpoint } from "../../legacy/http/endpoint.ts";

/**
 * Reads the body of a POST as a JSON value, within the limits, and refuses what is none. `accept` does what it asks for, and
 * throws a `MalformedMessage` if it is not of the right shape.
 */
export function readJson(call: HttpCall, accept: (value: unknown) => void): void {
  if (!isJsonType(call.header("content-type"))) {
    call.turnAway((from) => from.wrongType());
    return;
  }
  call.front.readBody(call.endpoint.settings.maxBodyBytes, (body) => {
    if (typeof body === "string") {
      call.turnAway((from) => from.unusableBody(call, body));
      return;
    }
    let value: unknown;
    try {
      value = "text" in body ? JSON.parse(body.text) : body.value;
    } catch (error) {
      call.turnAway((from) => from.unreadable(call, `JSON: ${(error as Error).message}`));
      return;
    }
    if (!call.endpoint.isOpenFor(call, value)) return;
    try {
      accept(value);
    } catch (error) {
      if (error instanceof MalformedMessage) call.endpoint.legacy?.hearMalformed(call, error);
      call.turnAway((from) => from.unusable(call, error));
    }
  });
}

/** Takes the body of a POST and sees that the message in it is answered by the rules of its era. */
export function acceptPost(call: HttpCall, value: unknown): void {
  const withLegacy = (take: (legacy: LegacyEndpoint) => void): void => call.endpoint.withLegacy(take);
  if (Array.isArray(value)) return withLegacy((legacy) => legacy.acceptBatch(call, value));
  const message = readMessage(value);
  if (!("method" in message)) return withLegacy((legacy) => legacy.acceptResponse(call, message));
  // The modern era defines no notifications over HTTP. Extensions may, and then they are heard in the same way.
  if (!("id" in message)) return withLegacy((legacy) => legacy.acceptNotification(call, message));
  if (isModern(message, call)) acceptRequest(call, message);
  else withLegacy((legacy) => legacy.acceptRequest(call, message));
}

function acceptRequest(call: HttpCall, request: RequestMessage): void {
  const { id, method } = request;
  const { json, events } = call.accepts;
  if (method === "subscriptions/listen" ? !events : !json && !events) call.turnAway((from) => from.wrongAccept(id));
  else serveRequest(request, new ModernAnswer(call, id, method));
}

/** Whether the modern rules apply. `initialize` opens the legacy era unless it claims otherwise itself. */
function isModern({ method, params }: RequestMessage, call: HttpCall): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  // A version that nobody speaks is refused for that, whatever else the request lacks.
  const version = call.header("mcp-protocol-version") ?? "";
  return version > LATEST_LEGACY_REVISION && speaksRevision(call.endpoint.serving, version);
}
