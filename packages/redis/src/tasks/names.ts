import { createHash } from "node:crypto";

/**
 * The names of the keys and of the channel of tasks. All keys share what is in braces, so that one server of a cluster has them all: a task
 * is written together with its places in the lists of those that are due, open, or of its caller.
 */
export class TaskNames {
  /** What all keys begin with. */
  readonly base: string;
  /** Digests of tasks by the time at which somebody has to look at them. */
  readonly due: string;
  /** Digests of tasks that are not over, by the time until which they are kept at most. */
  readonly open: string;
  /** The channel of hints. */
  readonly channel: string;

  constructor(prefix: string) {
    this.base = `${prefix}:{tasks}:`;
    this.due = `${this.base}due`;
    this.open = `${this.base}open`;
    this.channel = `${prefix}:tasks`;
  }

  /** A task. */
  record(id: string): string {
    return `${this.base}r:${digestOf(id)}`;
  }

  /** Like {@link open}, of one caller. */
  openOf(owner: string | null): string {
    return `${this.base}o:${digestOf(owner)}`;
  }

  /** All tasks of a caller, by their ids. */
  listOf(owner: string | null): string {
    return `${this.base}l:${digestOf(owner)}`;
  }
}

/**
 * Stands for the id of a task, or for its caller, in the names of keys, where operators see it. Ids of tasks are credentials if callers have
 * none. It has 22 characters, and is another one for each text: also for those with halves of characters, which have no bytes of their own.
 */
export function digestOf(text: string | null): string {
  return createHash("sha256").update(JSON.stringify(text)).digest("base64url").slice(0, 22);
}
