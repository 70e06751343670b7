import { RpcError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { ExtensionClient, ExtensionSubscription } from "../extensions/extension.ts";

/** How many tasks of a client may have a stream of their own. The others are looked at. */
const MAX_STREAMS = 8;

/** A task whose server may announce its changes. */
export interface AnnouncedTask {
  readonly id: string;
  /** Aborted when nobody waits for the task any more. */
  readonly signal: AbortSignal;
  /** Gets what the server announces; untrusted. */
  announced(params: unknown): void;
  /** Something may have changed: look. */
  changed(): void;
}

/** What servers announce about the tasks of one client, which nothing relies on. */
export class Announcements {
  readonly #client: ExtensionClient;
  readonly #tasks = new Map<string, Set<AnnouncedTask>>();
  #streams = 0;
  /** Whether the server has refused to announce changes. It is not asked again for each task. */
  #isRefused = false;

  constructor(client: ExtensionClient) {
    this.#client = client;
  }

  /** Begins to pass on notifications of 2025-11-25, which come without being asked for. Returns what ends that. */
  hear(task: AnnouncedTask): () => void {
    const same = this.#tasks.get(task.id) ?? new Set();
    this.#tasks.set(task.id, same.add(task));
    return () => {
      same.delete(task);
      if (same.size === 0) this.#tasks.delete(task.id);
    };
  }

  /** Takes a notification of 2025-11-25. It is a hint to look, and no more: anybody's task may be named. */
  notified({ taskId }: { readonly taskId?: unknown }): void {
    if (typeof taskId !== "string") return;
    for (const task of this.#tasks.get(taskId) ?? []) task.changed();
  }

  /**
   * Asks the server to announce the changes of a task, on a stream (2026-07-28). Resolves to the subscription if the server agrees, and
   * to `undefined` if it does not, or if there are too many streams already.
   */
  async listen(task: AnnouncedTask): Promise<ExtensionSubscription | undefined> {
    if (this.#isRefused || this.#streams >= MAX_STREAMS) return undefined;
    this.#streams++;
    const freed = (): void => {
      this.#streams--;
    };
    try {
      const subscription = await this.#client.subscribe("taskIds", [task.id], {
        notification({ method, params }) {
          if (method === "notifications/tasks" && isObject(params)) task.announced(params);
        },
        resumed: () => task.changed(),
      });
      void subscription.closed.then(freed);
      const { accepted } = subscription;
      const isAgreed = Array.isArray(accepted) && accepted.includes(task.id) && !task.signal.aborted;
      if (isAgreed) return subscription;
      this.#isRefused ||= accepted === undefined && !task.signal.aborted;
      subscription.close();
    } catch (error) {
      // A server need not announce anything. It is looked at then.
      freed();
      this.#isRefused ||= error instanceof RpcError;
    }
    return undefined;
  }
}
