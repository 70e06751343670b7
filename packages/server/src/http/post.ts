import {
  claimsModernEra,
  LATEST_LEGACY_REVISION,
  readMessage,
  type NotificationMessage,
  type RequestMessage,
} from "@toolwire/protocol";
import { speaks } from "../serving/speaks.ts";
import { ModernAnswer, serveRequest } from "./answer.ts";
import type { HttpCall } from "./call.ts";
import { readModernMeta } from "./modern.ts";

/** Takes the body of a POST and sees that the message in it is answered by the rules of its era. */
export function acceptPost(call: HttpCall, value: unknown): void {
  const { endpoint } = call;
  if (Array.isArray(value)) return endpoint.withLegacy(call, (legacy) => legacy.acceptBatch(call, value));
  const message = readMessage(value);
  if (!("method" in message)) return endpoint.withLegacy(call, (legacy) => legacy.acceptResponse(call, message));
  if (!isModern(message, call)) {
    return endpoint.withLegacy(call, (legacy) =>
      "id" in message ? legacy.acceptRequest(call, message) : legacy.acceptNotification(call, message),
    );
  }
  if ("id" in message) acceptRequest(call, message);
  else acceptNotification(call, message);
}

function acceptRequest(call: HttpCall, request: RequestMessage): void {
  const { id, method } = request;
  const meta = readModernMeta(request, call);
  if (meta === undefined) return;
  const { json, events } = call.accepts;
  if (method === "subscriptions/listen" ? !events : !json && !events) call.turnAway((from) => from.wrongAccept(id));
  else serveRequest(request, new ModernAnswer(call, id, method), meta);
}

/** The modern era defines none over HTTP; extensions may. */
function acceptNotification(call: HttpCall, message: NotificationMessage): void {
  const { serving } = call.endpoint;
  const version = call.header("mcp-protocol-version");
  if (version !== undefined && !speaks(serving, version)) {
    call.turnAway((from) => from.wrongVersion(serving, version));
    return;
  }
  serving.hear(message, call);
  call.send(202);
}

/** Whether the modern rules apply. `initialize` opens the legacy era unless it claims otherwise itself. */
function isModern({ method, params }: RequestMessage | NotificationMessage, call: HttpCall): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  const version = call.header("mcp-protocol-version");
  return version !== undefined && version > LATEST_LEGACY_REVISION;
}
