import type { Client, Tool } from "@toolwire/client";
import type { Context } from "@toolwire/server";
import type { Connections } from "../connections/connections.ts";
import type { Clear } from "../text/clear.ts";
import { AskableListings } from "./askable-listings.ts";
import { listAll, type Listing } from "./listing.ts";
import { RefreshLimit } from "./refresh-limit.ts";

/** For how long requests wait for lists: of a server that connects, and of one that has failed. */
const WAIT_MS = 5000;
const FAILED_WAIT_MS = 250;

/** How old a listing may become of a server that does not announce changes. */
const MAX_AGE_MS = 60_000;

/** What a catalog is made from, and who hears of it. */
export interface CatalogOptions {
  readonly connections: Connections;
  /** Clears everything that is listed. */
  readonly clear: Clear;
  /** Looks at tools before they are offered. If it throws, the listing has failed. */
  readonly inspect: (tools: readonly Tool[]) => unknown;
  /** Whether an error means that the caller has to log in first: that is no failure, and not tried again. */
  needsLogin(error: Error | undefined): boolean;
  /** Whether to try again by itself after a failure, so that clients hear when everything is back. */
  readonly triesAgain: boolean;
  readonly changed: (change: CatalogChange) => void;
  /** Hears of problems, for the operator. */
  readonly report: (message: string, error?: unknown) => void;
}

/** What has changed in a catalog. */
export type CatalogChange =
  /** The listing, or whether the caller has to log in before there is one. */
  | { readonly kind: "listing" }
  /** The tools that only callers see who can be asked something. */
  | { readonly kind: "askable tools"; readonly viewer: object; readonly tools: readonly Tool[] }
  /** Whether it has failed. */
  | { readonly kind: "state" };

/** What is known of what a connection lists. It is listed again when the server announces changes, or when it grows old. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #refresh: RefreshLimit = new RefreshLimit(() => this.#list());
  readonly #askable: AskableListings;
  #listing: Listing | undefined;
  #listedAt = 0;
  #announces = false;
  /** Why the listing is out of date. */
  #failure: Error | undefined;
  #hasFailed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#askable = new AskableListings({
      leases: options.connections.leases,
      listed: (viewer, tools) => options.changed({ kind: "askable tools", viewer, tools: options.clear(tools) }),
      failed: (error) => options.report("It cannot be listed for callers who can be asked", error),
    });
  }

  /** The last listing; `undefined` before the first. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Why it is of no use at the moment, or out of date. */
  get failure(): Error | undefined {
    return this.#options.connections.shared.failure ?? this.#failure;
  }

  /** Whether the caller has to log in before anything can be listed. */
  get needsLogin(): boolean {
    return this.#options.needsLogin(this.#options.connections.shared.failure);
  }

  /** Whether nothing of it can be used at the moment, by no fault of the caller. */
  get isFailed(): boolean {
    return this.failure !== undefined && !this.needsLogin;
  }

  /** Connects and lists if necessary, but does not wait long for a server that does not answer. Never rejects. */
  async ready(): Promise<void> {
    const { shared } = this.#options.connections;
    if (this.#listing !== undefined && this.failure === undefined) {
      const isOld = !this.#announces && performance.now() - this.#listedAt > MAX_AGE_MS;
      if (isOld && shared.client !== undefined) this.#refresh.request();
      return;
    }
    if (this.#failure !== undefined && shared.client !== undefined) {
      // As often as after announcements: callers cannot make us ask again and again.
      this.#refresh.request();
      return;
    }
    // Lists do not wait again for a server that has failed, but find it as soon as it is back.
    const left = (this.#hasFailed ? FAILED_WAIT_MS : WAIT_MS) - shared.openingFor;
    const work = shared.open().then(
      () => this.#refresh.now(),
      () => undefined,
    );
    if (left > 0) await within(left, work);
  }

  /** Lists what only callers who can be asked something see, but does not wait long for it. */
  async prepareFor(ctx: Context): Promise<void> {
    const { client } = this.#options.connections.shared;
    if (this.#listing !== undefined) await within(WAIT_MS, this.#askable.prepare(client, ctx));
  }

  /** The viewer as which a caller sees more tools than others, because it can be asked something. */
  askableViewerFor(ctx: Context): object | undefined {
    return this.#askable.viewerFor(ctx);
  }

  get askableViewers(): readonly object[] {
    return this.#askable.viewers;
  }

  /** Lists over a new connection. */
  connected(client: Client): void {
    this.#refresh.request();
    const { tools, prompts, resources } = client.capabilities;
    const filter = {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resources: resources?.listChanged === true,
    };
    this.#announces = false;
    if (!filter.tools && !filter.prompts && !filter.resources) return;
    client
      .subscribe(filter, (change) => {
        if (change.kind !== "resource") this.#refresh.request();
      })
      .then(
        () => {
          this.#announces = true;
        },
        (error: unknown) => this.#options.report("It does not announce changes", error),
      );
  }

  /** Notes that there is no connection. */
  disconnected(error: Error): void {
    if (this.needsLogin) this.#options.changed({ kind: "listing" });
    else this.#options.report("It cannot be reached", error);
    this.#noteState();
    if (this.#options.triesAgain) this.#tryLater();
  }

  /** Forgets a failure, because everything begins anew; and the listing, if it is that of another account. */
  reset(keep: "listing" | "nothing"): void {
    this.#failure = undefined;
    if (keep === "nothing") this.#listing = undefined;
  }

  /** Ends all timers. */
  close(): void {
    this.#refresh.stop();
    clearTimeout(this.#retry);
  }

  /** Tries again when it is time to. Timers may fire a little early. */
  #tryLater(): void {
    clearTimeout(this.#retry);
    const { shared } = this.#options.connections;
    this.#retry = setTimeout(() => {
      if (shared.retryIn > 0) this.#tryLater();
      else void this.ready();
    }, Math.ceil(shared.retryIn));
    this.#retry.unref();
  }

  async #list(): Promise<void> {
    const { connections, clear, inspect, changed, report } = this.#options;
    const { client } = connections.shared;
    if (client === undefined) return;
    // Callers who can be asked list again when this does: each of their requests would follow an announcement of a flood.
    this.#askable.outdated();
    try {
      this.#listing = clear(await listAll(client, report));
      this.#listedAt = performance.now();
      await inspect(this.#listing.tools);
      changed({ kind: "listing" });
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error as Error;
      report("It cannot be listed", error);
    }
    this.#noteState();
  }

  #noteState(): void {
    const { isFailed } = this;
    if (isFailed === this.#hasFailed) return;
    this.#hasFailed = isFailed;
    this.#options.changed({ kind: "state" });
  }
}

/** Waits for work, but not longer than some milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
