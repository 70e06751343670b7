import {
  claimsModernEra,
  LATEST_LEGACY_REVISION,
  readMessage,
  RpcError,
  type NotificationMessage,
  type PerRequestMeta,
  type RequestMessage,
} from "@toolwire/protocol";
import { speaks } from "../serving/speaks.ts";
import { ModernAnswer, serveRequest } from "./answer.ts";
import type { HttpCall } from "./call.ts";
import { JsonBody } from "./json-body.ts";
import { checkModernRequest } from "./modern.ts";

/** Takes the message in the body of a POST and sees that it is answered by the rules of its era. */
export class PostedMessage extends JsonBody {
  protected override accept(value: unknown): void {
    const { endpoint, call } = this;
    if (Array.isArray(value)) return endpoint.withLegacy(call, (legacy) => legacy.acceptBatch(call, value));
    const message = readMessage(value);
    if (!("method" in message)) return endpoint.withLegacy(call, (legacy) => legacy.acceptResponse(call, message));
    if (!("id" in message)) return this.#acceptNotification(message);
    if (isModern(message, call)) return this.#acceptModern(message);
    endpoint.withLegacy(call, (legacy) => legacy.acceptRequest(call, message));
  }

  #acceptModern(request: RequestMessage): void {
    const { endpoint, call } = this;
    let meta: PerRequestMeta;
    try {
      meta = checkModernRequest(request, call, endpoint.serving);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return call.refuse(400, error.code, error.message, { id: request.id, data: error.data });
    }
    const { json, events } = call.accepts;
    if (request.method === "subscriptions/listen" ? !events : !json && !events) {
      call.turnAway((by) => by.refuseAccept(call, request.id));
    } else serveRequest(endpoint, request, new ModernAnswer(endpoint, call, request.id, request.method), meta);
  }

  #acceptNotification(message: NotificationMessage): void {
    const { endpoint, call } = this;
    const { serving } = endpoint;
    const version = call.header("mcp-protocol-version");
    if (version !== undefined && !speaks(serving, version)) {
      call.turnAway((by) => by.refuseVersion(call, serving, version));
      return;
    }
    if (!isModern(message, call)) {
      return endpoint.withLegacy(call, (legacy) => legacy.acceptNotification(call, message));
    }
    // The modern era defines none over HTTP; extensions may.
    serving.hear(message, call);
    call.send(202);
  }
}

/** Whether the modern rules apply. `initialize` opens the legacy era unless it claims otherwise itself. */
function isModern({ method, params }: RequestMessage | NotificationMessage, call: HttpCall): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  const version = call.header("mcp-protocol-version");
  return version !== undefined && version > LATEST_LEGACY_REVISION;
}
