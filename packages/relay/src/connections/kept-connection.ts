import type { Client } from "@toolwire/client";

/** How long the first pause after a failed attempt is, and the longest, in milliseconds. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

/** How a kept connection is opened, and who hears of it. */
export interface KeptConnectionOptions {
  /** Opens it, unless the signal is aborted first. */
  open(signal: AbortSignal): Promise<Client>;
  /** Milliseconds without a use after which it is closed; `Infinity` keeps it. */
  readonly idleTimeout: number;
  opened(client: Client): void;
  failed(error: Error): void;
}

/**
 * One connection to an upstream, shared by all calls. It is opened with the first use. The client connects again by itself when it
 * is lost; if that fails for good, or if it cannot be opened, the next use tries again, with growing pauses in between.
 */
export class KeptConnection {
  readonly #options: KeptConnectionOptions;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #openingSince = 0;
  #stopOpening = new AbortController();
  #failure: Error | undefined;
  #failures = 0;
  #retryAt = 0;
  #users = 0;
  #lastUse = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Clients that are being closed. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: KeptConnectionOptions) {
    this.#options = options;
  }

  /** The client, while there is one. */
  get client(): Client | undefined {
    return this.#client;
  }

  get state(): "idle" | "connecting" | "connected" | "failed" {
    if (this.#client !== undefined) return "connected";
    if (this.#opening !== undefined) return "connecting";
    return this.#failure === undefined ? "idle" : "failed";
  }

  /** Why it could not be opened, or was lost for good. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Milliseconds since the attempt to open it that is under way; 0 if there is none. */
  get openingFor(): number {
    return this.#opening === undefined ? 0 : performance.now() - this.#openingSince;
  }

  /** Milliseconds until it may be opened again after a failure. */
  get retryIn(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  /** Resolves to the client. Rejects at once if the last attempt failed a moment ago. */
  open(): Promise<Client> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#isClosed) return Promise.reject(new Error("The upstream was closed."));
    if (this.#opening !== undefined) return this.#opening;
    if (this.#failure !== undefined && performance.now() < this.#retryAt) return Promise.reject(this.#failure);
    this.#openingSince = performance.now();
    this.#stopOpening = new AbortController();
    this.#opening = this.#open(this.#stopOpening.signal).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Begins a use: it is not closed as idle before the use has ended. */
  hold(): void {
    this.#users += 1;
  }

  /** Ends a use. */
  release(): void {
    this.#users -= 1;
    if (this.#options.idleTimeout === Infinity) return;
    this.#lastUse = performance.now();
    this.#idleTimer ??= this.#watchIdle(this.#options.idleTimeout);
  }

  /** Closes the connection until it is needed again. */
  async restart(): Promise<void> {
    this.#failure = undefined;
    this.#failures = 0;
    await this.#stop();
  }

  /** Closes the connection for good, and waits for its process to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#stop();
    await Promise.all(this.#closing);
  }

  /** Ends the connection, also one that is being opened. */
  async #stop(): Promise<void> {
    this.#stopOpening.abort(new Error("The upstream was stopped."));
    await this.#opening?.catch(() => undefined);
    await this.#drop();
  }

  async #open(signal: AbortSignal): Promise<Client> {
    let client: Client;
    try {
      client = await this.#options.open(signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#fail(error as Error);
    }
    if (this.#isClosed) {
      await client.close();
      throw new Error("The upstream was closed.");
    }
    this.#client = client;
    this.#failure = undefined;
    this.#failures = 0;
    this.#lastUse = performance.now();
    if (this.#options.idleTimeout !== Infinity) this.#idleTimer ??= this.#watchIdle(this.#options.idleTimeout);
    void client.closed.then((reason) => {
      if (this.#client !== client) return;
      this.#client = undefined;
      if (reason !== undefined) this.#fail(reason);
    });
    this.#options.opened(client);
    return client;
  }

  #fail(error: Error): Error {
    this.#failure = error;
    this.#retryAt = performance.now() + Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    this.#failures += 1;
    this.#options.failed(error);
    return error;
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const closing = client.close().catch(() => undefined);
    this.#closing.add(closing);
    await closing;
    this.#closing.delete(closing);
  }

  /** One timer for all uses: setting one for each call would take longer than some calls. */
  #watchIdle(after: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.#idleTimer = undefined;
      if (this.#client === undefined) return;
      const left =
        this.#users > 0 ? this.#options.idleTimeout : this.#lastUse + this.#options.idleTimeout - performance.now();
      if (left > 0) this.#idleTimer = this.#watchIdle(left);
      else void this.#drop();
    }, after);
    timer.unref();
    return timer;
  }
}
