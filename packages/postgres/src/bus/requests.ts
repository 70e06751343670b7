import { LONGEST_TIMER } from "@toolwire/protocol/internal";
import { ClusterError } from "@toolwire/server/cluster";

/** A request is sent again after so many milliseconds, then after twice as many, and so on: notifications may be lost. */
const FIRST_REPEAT = 500;
const LONGEST_REPEAT = 8000;

/** Sends a request. Resolves to whether its node may still be there. */
type Send = () => Promise<boolean>;

interface Waiting {
  /** Sends it once more. */
  repeat(): void;
  settle(reply: string | undefined): void;
  fail(error: ClusterError): void;
}

/** Requests that wait for their replies. */
export class Requests {
  /** By node, and then by message: one that was sent by several callers has one reply for all of them. */
  readonly #waiting = new Map<string, Map<string, Set<Waiting>>>();

  /** Sends a request until there is a reply, and resolves to it: JSON text. */
  send(node: string, id: string, timeout: number, send: Send): Promise<string> {
    return new Promise((resolve, reject) => {
      let repeatTimer: ReturnType<typeof setTimeout> | undefined;
      let pause = FIRST_REPEAT;
      const end = (): void => {
        clearTimeout(timer);
        clearTimeout(repeatTimer);
        this.#remove(node, id, waiting);
      };
      const fail = (error: ClusterError): void => {
        end();
        reject(error);
      };
      const attempt = (isFirst: boolean): void => {
        send().then(
          (isSent) => {
            if (!isSent) fail(nodeGone());
          },
          (error: unknown) => {
            // A later attempt may succeed, and the first may have arrived.
            if (isFirst) fail(error instanceof ClusterError ? error : new ClusterError("UNAVAILABLE", String(error)));
          },
        );
      };
      const schedule = (): void => {
        repeatTimer = setTimeout(() => {
          attempt(false);
          pause = Math.min(pause * 2, LONGEST_REPEAT);
          schedule();
        }, pause);
      };
      const waiting: Waiting = {
        repeat: () => attempt(false),
        settle(reply) {
          end();
          if (reply === undefined) reject(new ClusterError("TOO_LARGE", "A reply is larger than the engine takes."));
          else resolve(reply);
        },
        fail,
      };
      const late = (): void => fail(new ClusterError("TIMEOUT", "Another node has not replied in time."));
      const timer = setTimeout(late, Math.min(timeout, LONGEST_TIMER));
      this.#add(node, id, waiting);
      attempt(true);
      schedule();
    });
  }

  /** Whether anybody waits for a reply. */
  expects(node: string, id: string): boolean {
    return this.#waiting.get(node)?.has(id) === true;
  }

  /** Takes a reply: JSON text, or `undefined` if it was too large. */
  settle(node: string, id: string, reply: string | undefined): void {
    for (const waiting of this.#waiting.get(node)?.get(id) ?? []) waiting.settle(reply);
  }

  /** Sends what waits for a node once more, to find out whether the node has ended. */
  ask(node: string): void {
    for (const waiting of this.#of(node)) waiting.repeat();
  }

  /** Ends all. */
  close(): void {
    const error = new ClusterError("UNAVAILABLE", "This node has left its cluster.");
    for (const [node] of this.#waiting) for (const waiting of this.#of(node)) waiting.fail(error);
  }

  #of(node: string): readonly Waiting[] {
    return [...(this.#waiting.get(node)?.values() ?? [])].flatMap((waiting) => [...waiting]);
  }

  #add(node: string, id: string, waiting: Waiting): void {
    const messages = this.#waiting.get(node) ?? new Map<string, Set<Waiting>>();
    const same = messages.get(id) ?? new Set();
    this.#waiting.set(node, messages.set(id, same.add(waiting)));
  }

  #remove(node: string, id: string, waiting: Waiting): void {
    const messages = this.#waiting.get(node);
    const same = messages?.get(id);
    same?.delete(waiting);
    if (same?.size === 0) messages?.delete(id);
    if (messages?.size === 0) this.#waiting.delete(node);
  }
}

function nodeGone(): ClusterError {
  return new ClusterError("NODE_GONE", "Another node has ended.");
}
