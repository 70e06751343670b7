import { ErrorCode, type TransportError } from "../errors.ts";
import type { JunkLimit } from "../framing/junk-limit.ts";
import { MalformedMessage } from "../messages/errors.ts";
import type { Message } from "../messages/message.ts";
import { parseMessages } from "../messages/parse.ts";
import type { ChannelReceiver } from "../transport/channel.ts";

/**
 * The end of a connection that this is. Two rules differ. A server stops reading while its client does not read, so that
 * requests do not pile up; a client always reads, because two sides that wait for each other wait forever. And a server
 * answers malformed messages with an error, while a client ignores them: most are stray lines of a log.
 */
export type Side = "client" | "server";

/**
 * Reads the text of one frame and hands it to the receiver of a channel: as a message, as a batch (revision 2025-03-26),
 * or as something malformed. Use it in channels of your own, whose frames are text.
 */
export function deliverText(text: string, receiver: ChannelReceiver, side: Side): void {
  deliverFrame(text, receiver, side, undefined);
}

/**
 * Delivers a frame, and counts it as `noise` if it is not a message. Returns the reason to end the connection once the
 * limit is reached.
 */
export function deliverFrame(
  text: string,
  receiver: ChannelReceiver,
  side: Side,
  noise: JunkLimit | undefined,
): TransportError | undefined {
  if (noise?.isSkipped(text)) return noise.add(text);
  let parsed;
  try {
    parsed = parseMessages(text);
  } catch (error) {
    const malformed = error as MalformedMessage;
    if (noise?.isReported(malformed) !== false) receiver.malformed(mute(malformed, side));
    return noise?.add(text);
  }
  if (isBatch(parsed)) receiver.batch(parsed);
  else receiver.message(parsed);
  noise?.reset();
  return undefined;
}

/** Clients answer malformed requests that have an id, too: a legacy server waits for the response. */
function mute(error: MalformedMessage, side: Side): MalformedMessage {
  if (side === "server" || error.id !== undefined || !error.mayAnswer) return error;
  const code = error.rpcCode === ErrorCode.ParseError ? ErrorCode.ParseError : ErrorCode.InvalidRequest;
  return new MalformedMessage(code, error.message, { mayAnswer: false, cause: error.cause });
}

function isBatch(
  parsed: Message | readonly (Message | MalformedMessage)[],
): parsed is readonly (Message | MalformedMessage)[] {
  return Array.isArray(parsed);
}
