import {
  LATEST_LEGACY_REVISION,
  MalformedMessage,
  type NotificationMessage,
  readMessage,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { claimsModernEra } from "@toolwire/protocol/internal";
import { unsupportedRevision } from "../../errors.ts";
import { shuttingDown } from "../admission/refusals.ts";
import {
  bodyNotParsable,
  bodyNotReadable,
  checkVersionHeader,
  messageFailed,
  noBatches,
  notAcceptable,
  nothingAsked,
  protocolError,
  refuse,
  unsupportedMediaType,
  versionMissing,
} from "./errors.ts";
import { type HttpRequest, isJsonType } from "./request.ts";
import { HttpResponse, MODERN_STATUSES, serveRequest } from "./response.ts";

/**
 * Reads the body of a POST as a JSON value, within the limits, and refuses a body that is not JSON. `accept` handles the
 * value; it throws a `MalformedMessage` if the value is not a message.
 */
export function readJson(request: HttpRequest, accept: (request: HttpRequest, value: unknown) => void): void {
  if (!isJsonType(request.header("content-type"))) return refuse(request, unsupportedMediaType());
  const { endpoint } = request;
  request.adapter.readBody(endpoint.settings.maxBodyBytes, (body) => {
    if (typeof body === "string") return refuse(request, bodyNotReadable(request, body));
    let value: unknown;
    try {
      value = "text" in body ? JSON.parse(body.text) : body.value;
    } catch (error) {
      return refuse(request, bodyNotParsable(request, `JSON: ${(error as Error).message}`));
    }
    // The endpoint may have begun to close while the body arrived.
    if (endpoint.isClosedTo(request, value)) return refuse(request, shuttingDown());
    try {
      accept(request, value);
    } catch (error) {
      if (error instanceof MalformedMessage) endpoint.older?.noteMalformed(request, error);
      refuse(request, messageFailed(endpoint.server, error));
    }
  });
}

/** Handles the JSON value that was posted, by the rules of its era. */
export function acceptPosted(request: HttpRequest, value: unknown): void {
  if (Array.isArray(value)) return acceptBatch(request, value);
  const message = readMessage(value);
  if (!("method" in message)) acceptResponse(request, message);
  else if (!("id" in message)) acceptNotification(request, message);
  else if (isModern(request, message)) acceptRequest(request, message);
  else if (request.endpoint.older !== undefined) request.endpoint.older.acceptRequest(request, message);
  else refuseUnclaimed(request, message);
}

/** Whether the modern rules apply to a request. `initialize` opens the legacy era unless its own `_meta` is modern. */
function isModern(request: HttpRequest, { method, params }: RequestMessage): boolean {
  if (claimsModernEra(params) || method === "server/discover") return true;
  if (method === "initialize") return false;
  // A version that is not served is refused for that, whatever else the request lacks.
  const version = request.header("mcp-protocol-version");
  return version !== undefined && version > LATEST_LEGACY_REVISION && request.endpoint.serves(version);
}

function acceptRequest(request: HttpRequest, message: RequestMessage): void {
  const { id, method } = message;
  const { json, events } = request.accepts;
  const isSubscription = method === "subscriptions/listen";
  if (isSubscription ? !events : !json && !events) return refuse(request, notAcceptable(id));
  // Each subscription has a connection of its own, also on platforms that do not expose it.
  if (isSubscription && request.adapter.connection === undefined) request.connection = request;
  serveRequest(message, new HttpResponse(request, id, isSubscription || request.mayStream, MODERN_STATUSES));
}

/** Refuses a request that does not claim to be modern, where nothing else is served. */
function refuseUnclaimed(request: HttpRequest, { id, method, params }: RequestMessage): void {
  if (method === "initialize") {
    // Names the versions: older clients have nothing else to show to their users.
    const requested = String((params as { readonly protocolVersion?: unknown } | undefined)?.protocolVersion);
    const advice = "It has no handshake: send each request with its `_meta`.";
    return refuse(request, protocolError(unsupportedRevision(requested, request.endpoint.revisions, advice), id));
  }
  refuse(request, checkVersionHeader(request, id) ?? versionMissing(id));
}

/** The modern era defines no notifications from clients over HTTP. Those of extensions are handed to the server. */
function acceptNotification(request: HttpRequest, message: NotificationMessage): void {
  const { older, server } = request.endpoint;
  if (older?.acceptNotification(request, message)) return;
  const refusal = checkVersionHeader(request);
  if (refusal !== undefined) return refuse(request, refusal);
  server.hear(message, request);
  request.respond(202);
}

/** A modern server sends no requests to its clients, so there are no responses to them. */
function acceptResponse(request: HttpRequest, message: ResponseMessage): void {
  if (request.endpoint.older?.acceptResponse(request, message)) return;
  refuse(request, checkVersionHeader(request) ?? nothingAsked());
}

function acceptBatch(request: HttpRequest, items: readonly unknown[]): void {
  const { older } = request.endpoint;
  if (older !== undefined) older.acceptBatch(request, items);
  else refuse(request, checkVersionHeader(request) ?? noBatches());
}
