import { refuse } from "../../bindings/http/errors.ts";
import { nothingToResume } from "./errors.ts";
import type { GetStream } from "./get-stream.ts";
import type { HttpSession } from "./session.ts";
import { type EventId, readEventId, replay } from "./session-stream.ts";

/** Starts the stream of a session that this process keeps alone. */
export async function startStream(opening: GetStream, session: HttpSession): Promise<void> {
  const lastEventId = session.store === undefined ? undefined : opening.request.header("last-event-id");
  const last = lastEventId === undefined ? undefined : readEventId(lastEventId);
  const unfinished = last === undefined ? undefined : session.findStream(last.stream);
  if (lastEventId === undefined) await startStandalone(opening, session, undefined);
  else if (last === undefined) refuse(opening.request, nothingToResume());
  else if (unfinished !== undefined) await unfinished.resume(opening.connect(unfinished), last.sequence);
  else if (last.isStandalone) await startStandalone(opening, session, last);
  else await replayFinished(opening, session, last);
}

/**
 * Opens a standalone stream. The events of an earlier one come first: it makes no difference which stream carries messages
 * that belong to no request, as long as none is left out.
 */
async function startStandalone(opening: GetStream, session: HttpSession, last: EventId | undefined): Promise<void> {
  const stream = session.openStandaloneStream();
  const connection = opening.connect(stream);
  if (last === undefined) stream.attach(connection);
  else await stream.resume(connection, 0, () => replay(session, last.stream, last.sequence, connection));
  // Gives the client an event id to come back with.
  stream.prime();
  stream.flush();
}

/** Sends the rest of a stream on which nothing more will be sent. */
export async function replayFinished(
  opening: GetStream,
  session: HttpSession,
  last: Pick<EventId, "stream" | "sequence">,
): Promise<void> {
  const events = await session.eventsAfter(last.stream, last.sequence);
  if (events.length === 0) refuse(opening.request, nothingToResume());
  if (events.length === 0 || !opening.isOpening) return;
  const connection = opening.connect(undefined);
  await replay(session, last.stream, last.sequence, connection);
  connection.end();
}
