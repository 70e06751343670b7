import type { Link } from "./client.ts";

type Hear = (message: string) => void;

/** What is used of a client of node-redis. The three kinds differ in what comes before the command. */
export interface NodeRedis {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  duplicate(): NodeRedis;
  subscribe(channels: readonly string[], listener: Hear): Promise<void>;
  sendCommand(...parameters: readonly unknown[]): Promise<unknown>;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  destroy(): unknown;
  /** Of clients of a cluster only. */
  readonly masters?: unknown;
  /** Of clients of sentinels only. */
  readonly getSentinelNode?: unknown;
}

/**
 * Every command has a deadline of ours. The one that node-redis adds to each by default, an `AbortSignal` with a timer, takes more CPU than all
 * the rest of a command together (`apps/bench/CLUSTER.md`, a session that is looked up each time).
 */
const OPTIONS = { timeout: undefined };

/** Without a listener, the first broken connection would end the process. Errors are told by the calls that fail. */
function ignoreError(): void {}

/** A client of node-redis. */
export class NodeRedisLink implements Link {
  readonly #client: NodeRedis;

  constructor(client: NodeRedis) {
    this.#client = client;
    client.on("error", ignoreError);
  }

  async open(): Promise<void> {
    if (!this.#client.isOpen) await this.#client.connect();
  }

  send(key: string, command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if ("masters" in client) return client.sendCommand(key, false, command, OPTIONS);
    if ("getSentinelNode" in client) return client.sendCommand(false, command, OPTIONS);
    return client.sendCommand(command, OPTIONS);
  }

  subscribe(channels: readonly string[], hear: Hear): Promise<void> {
    return this.#client.subscribe(channels, hear);
  }

  onReady(listener: () => void): () => void {
    this.#client.on("ready", listener);
    return () => void this.#client.off("ready", listener);
  }

  duplicate(): Link {
    return new NodeRedisLink(this.#client.duplicate());
  }

  destroy(): void {
    try {
      // Of sentinels, this is a promise.
      void Promise.resolve(this.#client.destroy()).catch(ignoreError);
    } catch {
      // It was closed already.
    }
  }

  letGo(): void {
    this.#client.off("error", ignoreError);
  }
}
