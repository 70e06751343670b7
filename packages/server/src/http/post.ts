import { claimsModernEra } from "@toolwire/protocol/internal";
import { LATEST_LEGACY_REVISION, readMessage, type RequestMessage } from "@toolwire/protocol";
import { speaks } from "../serving/speaks.ts";
import { ModernAnswer, serveRequest } from "./answer.ts";
import type { HttpCall } from "./call.ts";
import type { LegacyEndpoint } from "./legacy/legacy-endpoint.ts";
import { readModernMeta } from "./modern.ts";

/** Takes the body of a POST and sees that the message in it is answered by the rules of its era. */
export function acceptPost(call: HttpCall, value: unknown): void {
  const withLegacy = (take: (legacy: LegacyEndpoint) => void): void => call.endpoint.withLegacy(call, take, value);
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
  const meta = readModernMeta(request, call);
  if (meta === undefined) return;
  const { json, events } = call.accepts;
  if (method === "subscriptions/listen" ? !events : !json && !events) call.turnAway((from) => from.wrongAccept(id));
  else serveRequest(request, new ModernAnswer(call, id, method), meta);
}

/** Whether the modern rules apply. `initialize` opens the legacy era unless it claims otherwise itself. */
function isModern({ method, params }: RequestMessage, call: HttpCall): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  // A version that nobody speaks is refused for that, whatever else the request lacks.
  const version = call.header("mcp-protocol-version") ?? "";
  return version > LATEST_LEGACY_REVISION && speaks(call.endpoint.serving, version);
}
