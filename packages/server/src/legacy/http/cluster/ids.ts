/**
 * Ids that name the node which has made them, so that any other node knows where to ask. Nodes have no part in common, so that no id
 * is made twice.
 */

const NODE = "[a-z0-9]{1,32}";
const PLACE = "[A-Za-z0-9._]{1,64}";
const NUMBER = "\\d{1,15}";

/** The number that was given last: one count for all sessions of the process, since what a node knows of a session may be dropped. */
let count = 0;

function nextNumber(): number {
  count += 1;
  return count;
}

/** Whether a number was given by {@link nextNumber}. */
export function wasGiven(number: number): boolean {
  return number >= 1 && number <= count;
}

/** The id of a request to a client. */
export function writeQuestionId(node: string): string {
  return `${node}.${nextNumber()}`;
}

const QUESTION = new RegExp(`^(${NODE})\\.(${NUMBER})$`);

/** Reads the id of a request to a client; `undefined` if no node has made it. */
export function readQuestionId(id: unknown): { readonly node: string; readonly number: number } | undefined {
  const match = typeof id === "string" ? QUESTION.exec(id) : null;
  return match === null ? undefined : { node: match[1] ?? "", number: Number(match[2]) };
}

/** The key of a stream. Its first letter says which method has opened it. */
export function writeStreamKey(method: "GET" | "POST", node: string): string {
  return `${method === "GET" ? "g" : "p"}${node}.${nextNumber()}`;
}

/** The id of an event on a standalone stream. `place` is where the log of changes stands; empty if that is not known. */
export function writeStandaloneEventId(stream: string, place: string, sequence: number): string {
  return `${stream}-${place}-${sequence}`;
}

/** A position in a stream of a session. */
export interface ClusterEventId {
  readonly node: string;
  /** The key of the stream. */
  readonly stream: string;
  /** Where the log of changes stood. Standalone streams have it, and those of a POST do not. */
  readonly place: string | undefined;
  readonly isStandalone: boolean;
  readonly sequence: number;
}

const POST_EVENT = new RegExp(`^(p(${NODE})\\.${NUMBER})-(${NUMBER})$`);
const GET_EVENT = new RegExp(`^(g(${NODE})\\.${NUMBER})-((?:${PLACE})?)-(${NUMBER})$`);

/** Reads the id of an event; `undefined` if no node has written it. */
export function readClusterEventId(id: string): ClusterEventId | undefined {
  const [, postStream, postNode = "", postSequence] = POST_EVENT.exec(id) ?? [];
  if (postStream !== undefined) {
    return {
      node: postNode,
      stream: postStream,
      place: undefined,
      isStandalone: false,
      sequence: Number(postSequence),
    };
  }
  const [, stream, node = "", place, sequence] = GET_EVENT.exec(id) ?? [];
  if (stream === undefined) return undefined;
  return { node, stream, place: place === "" ? undefined : place, isStandalone: true, sequence: Number(sequence) };
}
