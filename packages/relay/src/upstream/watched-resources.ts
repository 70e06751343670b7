import type { Client, Subscription } from "@toolwire/client";
import type { KeptConnection } from "../connections/kept-connection.ts";

/** The most resources of one upstream that are watched for its callers. The first one makes room for another. */
const MAX_WATCHED = 1000;

/** The resources of an upstream that callers have subscribed to. The upstream is asked to announce exactly these. */
export class WatchedResources {
  readonly #connection: KeptConnection;
  readonly #updated: (uri: string) => void;
  readonly #failed: (error: unknown) => void;
  /** How many watch each resource. */
  readonly #counts = new Map<string, number>();
  #subscription: Subscription | undefined;
  #isOutdated = false;
  #updating: Promise<void> | undefined;

  constructor(connection: KeptConnection, updated: (uri: string) => void, failed: (error: unknown) => void) {
    this.#connection = connection;
    this.#updated = updated;
    this.#failed = failed;
  }

  /** Watches a resource. Resolves when the upstream has been asked. */
  add(uri: string): Promise<void> {
    const count = this.#counts.get(uri);
    this.#counts.set(uri, (count ?? 0) + 1);
    if (count !== undefined) return this.#updating ?? Promise.resolve();
    this.#connection.hold();
    const [first] = this.#counts.keys();
    if (this.#counts.size > MAX_WATCHED && first !== undefined) this.#forget(first);
    return this.#update();
  }

  /** Ends one watch of a resource. */
  remove(uri: string): void {
    const count = this.#counts.get(uri);
    if (count === undefined) return;
    if (count > 1) {
      this.#counts.set(uri, count - 1);
      return;
    }
    this.#forget(uri);
    void this.#update();
  }

  /** Asks a new connection for what the last one was asked for. */
  resume(): void {
    this.#subscription = undefined;
    if (this.#counts.size > 0) void this.#update();
  }

  #forget(uri: string): void {
    this.#counts.delete(uri);
    this.#connection.release();
  }

  #update(): Promise<void> {
    this.#isOutdated = true;
    this.#updating ??= this.#bringUpToDate().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #bringUpToDate(): Promise<void> {
    while (this.#isOutdated) {
      this.#isOutdated = false;
      try {
        const client = await this.#connection.open();
        const former = this.#subscription;
        const uris = [...this.#counts.keys()];
        // The new subscription comes first, so that no change between the two is lost.
        this.#subscription = uris.length === 0 ? undefined : await this.#subscribe(client, uris);
        former?.close();
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #subscribe(client: Client, uris: readonly string[]): Promise<Subscription> {
    return client.subscribe({ uris }, (change) => {
      if (change.kind === "resource") this.#updated(change.uri);
    });
  }
}
