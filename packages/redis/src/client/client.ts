/**
 * A client of `redis` (node-redis): of one server, of sentinels, or of a cluster. Only what is needed of it is named, so that this package
 * depends on none.
 */
export interface NodeRedisClient {
  sendCommand(...parameters: never[]): Promise<unknown>;
  duplicate(...overrides: never[]): unknown;
  connect(): Promise<unknown>;
  subscribe(...parameters: never[]): Promise<unknown>;
}

/** A client of `ioredis` or `iovalkey`: of one server, of sentinels, or of a cluster. */
export interface IoRedisClient {
  call(...parameters: never[]): Promise<unknown>;
  duplicate(...overrides: never[]): unknown;
  connect(...parameters: never[]): Promise<unknown>;
  subscribe(...parameters: never[]): Promise<unknown>;
}

/** A client of Redis or Valkey that you have made. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** One client, whatever its kind. Its promises reject as the client's do. */
export interface Link {
  /** Connects, if that has not begun yet. The client goes on to connect again by itself. */
  open(): Promise<void>;
  /** Sends a command. In a cluster, it goes to the server that has the key. */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** Hears what is published in channels. The client subscribes again whenever it has connected again. */
  subscribe(channels: readonly string[], hear: (message: string) => void): Promise<void>;
  /** Calls a listener whenever a connection is ready. Returns what ends that. */
  onReady(listener: () => void): () => void;
  /** Another client with the same settings. */
  duplicate(): Link;
  /** Ends the client at once. Only for duplicates. */
  destroy(): void;
  /** Takes away the listener of errors that this has added. */
  letGo(): void;
}
