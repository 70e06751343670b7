/** Reading and refusing batches (revision 2025-03-26, "Batching"). */
import { ErrorCode, MalformedMessage, readMessage, type Message, type RequestId } from "@toolwire/protocol";
import { isId, isObject, MAX_BATCH } from "@toolwire/protocol/internal";
import type { Refusal } from "../../bindings/admission/refusals.ts";
import { messageFailed, refuse } from "../../bindings/http/errors.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";

/** A client that may have been asked the requests which a batch answers. */
interface AskedClient {
  /** Whether the client was asked a request of this id. */
  hasAsked(id: RequestId): boolean;
  /** Takes note of a malformed message. */
  noteMalformed(error: MalformedMessage): void;
}

/**
 * Reads the members of a batch; `undefined` if it was refused as a whole. Malformed members come back in their place, to be
 * answered with errors; malformed responses do not.
 */
export function readBatch(
  request: HttpRequest,
  items: readonly unknown[],
  client: AskedClient | undefined,
): (Message | MalformedMessage)[] | undefined {
  if (items.length === 0 || items.length > MAX_BATCH) {
    const message = `A batch holds 1 to ${MAX_BATCH} messages, not ${items.length}.`;
    refuseBatch(request, items, client, { status: 400, message });
    return undefined;
  }
  const messages = items.map(readItem);
  const malformed = messages.filter((message) => message instanceof MalformedMessage);
  for (const error of malformed) client?.noteMalformed(error);
  if (malformed.length === messages.length && malformed.every(({ id, mayAnswer }) => !mayAnswer || id === undefined)) {
    refuse(request, messageFailed(request.endpoint.server, malformed[0]));
    return undefined;
  }
  return messages.filter((message) => !(message instanceof MalformedMessage) || message.mayAnswer);
}

/**
 * Refuses a batch as a whole. Fails the requests to the client that are answered in it, which would wait for ever otherwise.
 * A batch may hold millions of items, so none but responses to such requests is processed.
 */
export function refuseBatch(
  request: HttpRequest,
  items: readonly unknown[],
  client: AskedClient | undefined,
  refusal: Refusal,
): void {
  for (const item of items) {
    if (!isResponse(item) || client?.hasAsked(item.id) !== true) continue;
    const options = { id: item.id, mayAnswer: false };
    client.noteMalformed(new MalformedMessage(ErrorCode.InvalidRequest, refusal.message, options));
  }
  refuse(request, refusal);
}

/** Whether an item is a response, well-formed or not. */
function isResponse(item: unknown): item is { readonly id: RequestId } {
  if (!isObject(item) || item["jsonrpc"] !== "2.0" || item["method"] !== undefined) return false;
  return ("result" in item || "error" in item) && isId(item["id"]);
}

function readItem(item: unknown): Message | MalformedMessage {
  try {
    return readMessage(item);
  } catch (error) {
    if (error instanceof MalformedMessage) return error;
    throw error;
  }
}
