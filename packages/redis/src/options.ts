import {
  expectCount,
  expectLimit,
  expectMilliseconds,
  expectOption,
  expectOptions,
  type OptionNames,
} from "@toolwire/protocol/internal";

/** The options of {@link redisCluster}. All nodes of a cluster need the same `prefix` and limits. */
export interface RedisClusterOptions {
  /**
   * What the names of all keys and channels begin with. Clusters with different prefixes share one Redis, and nothing else.
   * `A-Z a-z 0-9 . _ : -`, at most 64 characters. Default `toolwire`.
   */
  readonly prefix?: string | undefined;
  /** How many milliseconds a call of the engine may take. Default 2000. */
  readonly timeout?: number | undefined;
  /** How many milliseconds the first connection may take. Default 10 000. */
  readonly connectTimeout?: number | undefined;
  /**
   * How often a node looks for changes of which it was not told, in milliseconds. After four times as long without a message, it finds out
   * whether it still hears. Default 2000.
   */
  readonly pollInterval?: number | undefined;
  /** The largest message between nodes, in bytes. Default 5 MiB, somewhat more than a request may have by default. */
  readonly maxMessageBytes?: number | undefined;
  /** How many changes are kept for clients that come back, more or less. Default 10 000. */
  readonly maxChanges?: number | undefined;
}

const REDIS_CLUSTER_OPTIONS: OptionNames<RedisClusterOptions> = {
  prefix: true,
  timeout: true,
  connectTimeout: true,
  pollInterval: true,
  maxMessageBytes: true,
  maxChanges: true,
};

/** Options that are complete. */
export type Settings = { readonly [Name in keyof RedisClusterOptions]-?: NonNullable<RedisClusterOptions[Name]> };

/** Checks the options, and adds defaults. */
export function readOptions(options: RedisClusterOptions): Settings {
  expectOptions("redisCluster", options, REDIS_CLUSTER_OPTIONS);
  return {
    prefix: expectPrefix(options.prefix),
    timeout: expectMilliseconds("timeout", options.timeout, 2000, 1),
    connectTimeout: expectMilliseconds("connectTimeout", options.connectTimeout, 10_000, 1),
    pollInterval: expectMilliseconds("pollInterval", options.pollInterval, 2000, 1),
    maxMessageBytes: expectLimit("maxMessageBytes", options.maxMessageBytes, 5 * 1024 * 1024),
    maxChanges: expectCount("maxChanges", options.maxChanges ?? 10_000),
  };
}

/** Checks what the names of all keys and channels begin with. */
export function expectPrefix(prefix: string = "toolwire"): string {
  const fits = typeof prefix === "string" && /^[\w.:-]{1,64}$/.test(prefix);
  return expectOption("prefix", prefix, fits, "1 to 64 characters of `A-Z a-z 0-9 . _ : -`");
}
