import type { Link } from "./client.ts";

type Hear = (channel: string, message: string) => void;

/** What is used of a client of ioredis or iovalkey. */
export interface IoRedis {
  readonly status: string;
  connect(): Promise<unknown>;
  duplicate(): IoRedis;
  call(command: string, ...parameters: readonly string[]): Promise<unknown>;
  subscribe(...channels: readonly string[]): Promise<unknown>;
  on(event: string, listener: Hear): unknown;
  off(event: string, listener: Hear): unknown;
  disconnect(): void;
}

/** Without a listener, every broken connection would be printed. Errors are told by the calls that fail. */
function ignoreError(): void {}

/** A client of ioredis or iovalkey. */
export class IoRedisLink implements Link {
  readonly #client: IoRedis;

  constructor(client: IoRedis) {
    this.#client = client;
    client.on("error", ignoreError);
  }

  async open(): Promise<void> {
    // All other states are on the way to a connection already.
    if (this.#client.status === "wait" || this.#client.status === "end") await this.#client.connect();
  }

  send(_key: string, [name = "", ...parameters]: readonly string[]): Promise<unknown> {
    return this.#client.call(name, ...parameters);
  }

  async subscribe(channels: readonly string[], hear: (message: string) => void): Promise<void> {
    this.#client.on("message", (_channel, message) => hear(message));
    await this.#client.subscribe(...channels);
  }

  onReady(listener: () => void): () => void {
    this.#client.on("ready", listener);
    return () => void this.#client.off("ready", listener);
  }

  duplicate(): Link {
    return new IoRedisLink(this.#client.duplicate());
  }

  destroy(): void {
    this.#client.disconnect();
  }

  letGo(): void {
    this.#client.off("error", ignoreError);
  }
}
