import { refuse } from "../../../bindings/http/errors.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { noSuchSession, nothingToResume } from "../errors.ts";
import type { GetStream } from "../get-stream.ts";
import { replayFinished } from "../start-stream.ts";
import { type ClusterEventId, readClusterEventId } from "./ids.ts";
import { LogTail, READ_LIMIT } from "./log-tail.ts";
import { askNode, reach } from "./reach.ts";
import type { ClusterSession } from "./session.ts";
import { KEPT_FOR_MS } from "./spill.ts";

/** Starts a stream of a session that all nodes serve: a new one, or one that any of them has begun. */
export async function startAtAnyNode(opening: GetStream, session: ClusterSession, cluster: Cluster): Promise<void> {
  const lastEventId = opening.request.header("last-event-id");
  const last = lastEventId === undefined ? undefined : readClusterEventId(lastEventId);
  if (lastEventId === undefined || last?.isStandalone === true) return startStandalone(opening, session, last);
  if (last === undefined || session.store === undefined) refuse(opening.request, nothingToResume());
  else if (last.node !== cluster.node || !(await resumeHere(opening, session, cluster, last))) {
    await resumeFromLog(opening, session, cluster, last);
  }
}

async function startStandalone(
  opening: GetStream,
  session: ClusterSession,
  last: ClusterEventId | undefined,
): Promise<void> {
  const { retryDelay, primesStreams: primes } = session;
  const stream = await session.standalone.open((carried) => opening.connect({ detach: () => carried.closed() }), {
    last,
    retryDelay,
    primes,
  });
  if (stream === undefined) refuse(opening.request, noSuchSession());
}

/** Goes on with a stream of this node. Returns whether there is anything of it here. */
async function resumeHere(
  opening: GetStream,
  session: ClusterSession,
  cluster: Cluster,
  { stream, sequence }: ClusterEventId,
): Promise<boolean> {
  const unfinished = session.findStream(stream);
  // The client was at another node meanwhile, which has to stop sending the stream.
  if (session.isSpilled(stream)) await reach(cluster.events.takeOver(session.id, stream, KEPT_FOR_MS));
  if (unfinished !== undefined) {
    await unfinished.resume(opening.connect(unfinished), sequence);
    return true;
  }
  if ((await session.eventsAfter(stream, sequence)).length === 0) return false;
  await replayFinished(opening, session, { stream, sequence });
  return true;
}

/** Goes on with a stream of another node: with what that one hands over, or what it has left in the log. */
async function resumeFromLog(
  opening: GetStream,
  session: ClusterSession,
  cluster: Cluster,
  { node, stream, sequence }: ClusterEventId,
): Promise<void> {
  const { events } = cluster;
  const { id } = session;
  const ask = (): Promise<boolean> => isHandedOver(cluster, node, { session: id, stream });
  const mayFollow = node !== cluster.node && (await ask());
  const first = await reach(events.read(id, stream, sequence, READ_LIMIT));
  const isOver = !mayFollow || first?.isComplete === true;
  if (isOver && (first?.events ?? []).length === 0) {
    refuse(opening.request, nothingToResume());
    return;
  }
  // Last: what a client makes up must not leave anything in the engine.
  const reader = await reach(events.takeOver(id, stream, KEPT_FOR_MS));
  if (!opening.isOpening) return;
  const tail = new LogTail(cluster, { session: id, stream, after: sequence, reader, mayFollow, ask });
  const connection = opening.connect(tail);
  const wake = (): void => tail.wake();
  session.readers.set(stream, wake);
  void tail.run(connection).finally(() => {
    if (session.readers.get(stream) === wake) session.readers.delete(stream);
    session.lastSeen = performance.now();
  });
}

/** Whether another node hands a stream over, so that more of it may follow. Rejects with an `Unavailable` if it is there but silent. */
async function isHandedOver(cluster: Cluster, node: string, body: object): Promise<boolean> {
  const reply = await askNode(cluster, node, "legacy.takeover", body);
  return reply !== "gone" && reply !== "unknown";
}
