import { MalformedMessage, ErrorCode, type RequestId, readMessage } from "@toolwire/protocol";
import { isId, isObject } from "@toolwire/protocol/internal";
import type { BusMessage } from "../../../cluster/bus.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { isThenable } from "../../../request/thenable.ts";
import type { SessionSettings } from "../session.ts";
import type { ClusterSession } from "./session.ts";
import { Spill } from "./spill.ts";

/** What a node knows of sessions. */
export interface KnownSessions {
  readonly views: ReadonlyMap<string, ClusterSession>;
  readonly settings: SessionSettings;
  /** A session has ended. */
  drop(session: ClusterSession): void;
}

type Body = { readonly [name: string]: unknown };

/** Handles a message about a session that is known here. Without a result, another listener of this node may know more. */
type Handler = (session: ClusterSession, body: Body, from: string, known: KnownSessions) => unknown;

/** The messages that nodes send each other about sessions. Each names its session, and is checked as if it came from outside. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["legacy.answer", takeAnswer],
  ["legacy.malformed", failQuestion],
  ["legacy.progress", takeProgress],
  ["legacy.cancel", cancelRequest],
  ["legacy.changed", readAgain],
  ["legacy.ended", (session, _body, _from, known) => known.drop(session)],
  ["legacy.push", pushMessage],
  ["legacy.yield", yieldStream],
  ["legacy.reclaim", reclaimStream],
  ["legacy.takeover", handOver],
  ["legacy.appended", (session, { stream }) => session.readers.get(String(stream))?.()],
]);

/** Handles the messages of other nodes, until the function that it returns is called. */
export function listenToNodes(cluster: Cluster, known: KnownSessions): () => void {
  return cluster.bus.listen({
    message: (message, from) => handle(cluster, known, message, from),
    changes() {},
    missed() {},
  });
}

function handle(cluster: Cluster, known: KnownSessions, { kind, body }: BusMessage, from: string): unknown {
  const handler = HANDLERS.get(kind);
  if (handler === undefined || !isObject(body) || typeof body["session"] !== "string") return undefined;
  const session = known.views.get(body["session"]);
  try {
    if (session !== undefined) return handler(session, body, from, known);
    return kind === "legacy.takeover" ? handOverKept(cluster, known.settings, body["session"], body) : undefined;
  } catch (error) {
    known.settings.server.diagnose({
      level: "error",
      message: "A message of another node could not be handled.",
      error,
    });
    return undefined;
  }
}

function takeAnswer(session: ClusterSession, body: Body): unknown {
  const response = readMessage(body["response"]);
  if ("method" in response) return undefined;
  const violation = session.settleHere(response);
  if (violation?.code === "UNKNOWN_RESPONSE") return undefined;
  return violation === undefined ? "settled" : "late";
}

function failQuestion(session: ClusterSession, { id, message }: Body): undefined {
  if (!isId(id)) return;
  const words = typeof message === "string" ? message : "The response is malformed.";
  session.noteMalformed(new MalformedMessage(ErrorCode.InvalidRequest, words, { id, mayAnswer: false }));
}

function takeProgress(session: ClusterSession, body: Body): undefined {
  const message = readMessage(body["message"]);
  if (!("method" in message) || "id" in message || message.method !== "notifications/progress") return;
  session.hearProgress(message);
}

function cancelRequest(session: ClusterSession, { request, reason }: Body): undefined {
  if (isId(request)) session.cancelHere(request as RequestId, typeof reason === "string" ? reason : undefined);
}

function readAgain({ record, standalone }: ClusterSession): unknown {
  record.isStale = true;
  // Where changes are sent from, what is watched has to be known before the client may rely on it.
  if (standalone.carrier === undefined) return undefined;
  return record.read().then(
    () => "read",
    () => "failed",
  );
}

function pushMessage(session: ClusterSession, { data }: Body): unknown {
  const { carrier } = session.standalone;
  if (carrier === undefined || typeof data !== "string") return undefined;
  void carrier.send(data);
  return "sent";
}

function yieldStream(session: ClusterSession, { fence, stream }: Body): undefined {
  if (typeof fence === "number") session.standalone.yield(fence, typeof stream === "string" ? stream : undefined);
}

function reclaimStream({ standalone }: ClusterSession, { place }: Body): undefined {
  standalone.reclaim(typeof place === "string" ? place : undefined).catch(() => undefined);
}

function handOver(session: ClusterSession, { stream }: Body, from: string): unknown {
  if (typeof stream !== "string") return undefined;
  return session.handOver(stream, from)?.then(() => "kept");
}

/** The same for a session that this node has not used for a while. Only streams that are complete are left of it. */
function handOverKept(
  cluster: Cluster,
  { store, server }: SessionSettings,
  session: string,
  { stream }: Body,
): Promise<unknown> | undefined {
  const events = typeof stream === "string" ? store?.after(session, stream, 0) : undefined;
  if (events === undefined || isThenable(events) || events.length === 0) return undefined;
  const spill = new Spill(cluster, session, String(stream), (error) => {
    server.diagnose({ level: "error", message: "Events could not be kept for a client that comes back.", error });
  });
  spill.add(events);
  spill.finish();
  return spill.written().then(() => "kept");
}
