import type { Change, Listener } from "./subscriptions.ts";

/**
 * A listener that waits for its client: what changes while the client reads slowly is told later, each change once, so that
 * nobody can make the memory grow by not reading.
 */
export abstract class PatientListener implements Listener {
  /** What the client has not been told yet, while it is slow. */
  #waiting: Map<string, Change> | undefined;

  /** The id of the caller that it belongs to, if it is known who that is. */
  protected abstract readonly caller: string | undefined;

  /** Whether a change is of interest. */
  protected abstract wants(change: Change): boolean;

  /** Sends a notification. A promise comes back if the client reads too slowly. Never fails. */
  protected abstract send(method: string, params: object | undefined): void | Promise<void>;

  abstract end(): void;

  hear(changes: Iterable<Change>): void {
    for (const change of changes) if (this.#concerns(change) && this.wants(change)) this.#tell(change);
  }

  /** Whether a change is one for its caller. */
  #concerns(change: Change): boolean {
    return !("uri" in change) || change.only === undefined || change.only.id === this.caller;
  }

  #tell(change: Change): void {
    if (this.#waiting !== undefined) {
      this.#waiting.set("uri" in change ? `uri ${change.uri}` : change.list, change);
      return;
    }
    const slow =
      "uri" in change
        ? this.send("notifications/resources/updated", { uri: change.uri })
        : this.send(`notifications/${change.list}/list_changed`, undefined);
    if (slow === undefined) return;
    this.#waiting = new Map();
    void slow.then(() => this.#catchUp());
  }

  #catchUp(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.hear(waiting?.values() ?? []);
  }
}
