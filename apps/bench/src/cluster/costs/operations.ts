/**
 * How many operations of the engine a load takes: the arithmetic of the cost page. The simulation counts the same in servers, and a test holds the
 * two together.
 *
 * Each message of a session goes to a node chosen at random, as balancers without sticky routing do. A node that has not served the session
 * for a while reads it; a node that goes on serving it prolongs it now and then, and reads it again at every other time.
 */

/** What clients of legacy sessions do. Rates are per second, over all nodes and sessions. */
export interface Load {
  readonly nodes: number;
  /** How many of them the messages of one session come to: all, unless the balancer keeps a session together. */
  readonly reach: number;
  readonly sessions: number;
  /** How many sessions have a GET stream open, which watches one resource. */
  readonly streams: number;
  /** Calls, those that ask, are cancelled, or lose their stream included. */
  readonly calls: number;
  /** Calls that ask their user something. */
  readonly questions: number;
  readonly cancellations: number;
  /** Calls whose stream breaks, and is resumed before they are done. */
  readonly resumptions: number;
  /** Sessions that begin and end. */
  readonly turnover: number;
  /** GET streams that break, and are opened again. */
  readonly reconnections: number;
  /** Batches of changes that are announced. */
  readonly changes: number;
}

/** The operations that the arithmetic knows. */
export type Operation =
  | "sessions.create"
  | "sessions.get"
  | "sessions.touch"
  | "sessions.update"
  | "sessions.claim"
  | "sessions.release"
  | "sessions.end"
  | "events.append"
  | "events.read"
  | "events.takeOver"
  | "bus.request"
  | "bus.broadcast"
  | "bus.announce"
  | "bus.changesAfter"
  | "delivery";

/** Operations per second. */
export type Operations = Readonly<Record<Operation, number>>;

/** How long a node uses a session before it prolongs it, and before it reads it again, in seconds, as `legacy/http/cluster/sessions.ts` has it. */
export const TOUCH_AFTER = 30;
export const READ_AFTER = 60;

/** The messages of clients per second: all of them have to find their session. */
export function countMessages(load: Load): number {
  const { calls, questions, cancellations, resumptions, turnover, reconnections, streams, sessions } = load;
  const opened = openedStreams(turnover, streams, sessions);
  // A session begins with two messages, and ends with one. A stream is opened, and a resource watched.
  return calls + questions + cancellations + resumptions + 3 * turnover + 2 * opened + reconnections;
}

/**
 * The messages that a node may have to prolong their session for: not those that follow another one of their client at once, if they come to the
 * same node, and not the first one of a session.
 */
function countVisits(load: Load): number {
  const { reach, calls, questions, cancellations, resumptions, turnover, reconnections, streams, sessions } = load;
  const following = questions + cancellations + resumptions + 2 * openedStreams(turnover, streams, sessions);
  return calls + reconnections + 2 * turnover + (following * (reach - 1)) / reach;
}

/** Streams that are opened because their session has begun. */
function openedStreams(turnover: number, streams: number, sessions: number): number {
  return sessions === 0 ? 0 : (turnover * streams) / sessions;
}

/** Counts the operations that a load takes. */
export function countOperations(load: Load): Operations {
  const { nodes, reach, sessions, streams, questions, cancellations, resumptions, turnover, reconnections, changes } =
    load;
  const { touches, reads } = countUpkeep(load);
  const opened = openedStreams(turnover, streams, sessions);
  const openings = opened + reconnections;
  /** The share of messages that come to another node than the one they are for. */
  const elsewhere = (reach - 1) / reach;
  // Answers to questions; streams that are taken over, and the news that there is more; resources that are watched.
  const requests = elsewhere * (questions + 2 * resumptions + opened);
  const broadcasts = turnover + elsewhere * cancellations;
  return {
    "sessions.create": turnover,
    // The node that has opened the session reads it once more, to know that the client is ready. A stream reads it when it is opened. The node
    // that is told to watch a resource does so before and after, and so does the node of the stream.
    "sessions.get": reads + turnover + openings + opened * (2 + elsewhere),
    "sessions.touch": touches,
    "sessions.update": turnover + opened,
    "sessions.claim": openings,
    "sessions.release": openings,
    "sessions.end": turnover,
    // What the client has not got when its stream breaks, and then the answer.
    "events.append": 2 * resumptions,
    // The first look, whether there is more since, and the answer.
    "events.read": 3 * resumptions * elsewhere,
    "events.takeOver": resumptions,
    "bus.request": requests,
    // The end of a session, and cancellations of calls that run elsewhere.
    "bus.broadcast": broadcasts,
    "bus.announce": changes,
    // Before the stream listens, and once more when it does.
    "bus.changesAfter": 2 * reconnections,
    // All nodes read changes, and all others hear broadcasts.
    delivery: changes * nodes + broadcasts * (nodes - 1) + requests,
  };
}

/**
 * What it takes to keep sessions, and to know them. The messages of one session come to one node at random times, and a message prolongs the
 * session if the last time was long enough ago: that takes as long, and then the time until the next message. Every second time the session is
 * read as well, or the first time if that was late. A node that has forgotten the session does both at its next message, so that it makes no
 * difference when it forgets. Where a stream is open, a timer does it.
 */
function countUpkeep(load: Load): { readonly touches: number; readonly reads: number } {
  const { reach, sessions, streams } = load;
  if (sessions === 0) return { touches: 0, reads: 0 };
  const rate = countVisits(load) / sessions / reach;
  const touches = rate / (1 + rate * TOUCH_AFTER);
  const reads = touches / (2 - Math.exp(-rate * (READ_AFTER - TOUCH_AFTER)));
  const quiet = sessions * reach - streams;
  const timed = 1 / TOUCH_AFTER;
  return { touches: quiet * touches + streams * timed, reads: quiet * reads + (streams * timed) / 2 };
}

/** The share of messages that come to a node which has to look up their session first. */
export function shareOfColdMessages(load: Load): number {
  if (load.sessions === 0) return 0;
  return Math.exp((-countVisits(load) / load.sessions / load.reach) * FORGET_AFTER);
}

/** How many sessions all nodes know, each counted at every node that knows it. */
export function countViews(load: Load): number {
  return load.sessions * load.reach * (1 - shareOfColdMessages(load));
}

/** After how long a node forgets a session, on average: it looks every 30 seconds. */
const FORGET_AFTER = 5 * 60 + TOUCH_AFTER / 2;
