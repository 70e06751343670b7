/** Batches: several messages in one JSON array, which revision 2025-03-26 alone allows. */

import { ErrorCode, RpcError } from "../errors.ts";
import { encodeMessage, toErrorResponse } from "../messages/encode.ts";
import { MalformedMessage } from "../messages/errors.ts";
import type { Message, ResponseMessage } from "../messages/message.ts";
import { NO_BATCH } from "../messages/parse.ts";
import type { PendingExchanges } from "./outgoing.ts";

/** The members of a batch, in order. */
export type BatchItems = readonly (Message | MalformedMessage)[];

/**
 * Gathers the responses to a batch and sends them as one array when the last has come. Returns the function that takes
 * them; `undefined` stands for a request that gets no response.
 */
export function collectResponses(
  items: BatchItems,
  mayAnswer: (item: MalformedMessage) => boolean,
  send: (responses: readonly ResponseMessage[]) => void,
): (response: ResponseMessage | undefined) => void {
  const responses: ResponseMessage[] = [];
  // One more than there are requests, so that nothing is sent before all members were read.
  let missing = 1;
  for (const item of items) {
    if (item instanceof MalformedMessage) {
      if (mayAnswer(item)) responses.push(item.toResponse());
    } else if ("method" in item && "id" in item) missing += 1;
  }
  const collect = (response: ResponseMessage | undefined): void => {
    // Encodes each at once: one that JSON cannot hold must not take the others with it.
    if (response !== undefined) responses.push(JSON.parse(encodeMessage(response)) as ResponseMessage);
    missing -= 1;
    if (missing === 0 && responses.length > 0) send(responses);
  };
  collect(undefined);
  return collect;
}

/**
 * Settles the members of a batch that was refused. The batch as a whole has no id, but each side may wait for the
 * members: pending requests fail with the refusal, and requests get an error response each, unless `isAnswered` says
 * that the refusal itself was answered.
 */
export function refuseMembers(
  items: BatchItems,
  refusal: MalformedMessage,
  pending: PendingExchanges,
  isAnswered: boolean,
  send: (response: ResponseMessage) => void,
): void {
  for (const item of items) {
    if (!("method" in item)) {
      if (!("mayAnswer" in item && item.mayAnswer)) pending.fail(item.id, refusal);
    } else if ("id" in item && !isAnswered) {
      send(toErrorResponse(item.id, new RpcError(ErrorCode.InvalidRequest, NO_BATCH)));
    }
  }
}
