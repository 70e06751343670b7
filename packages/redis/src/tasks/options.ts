import { expectMilliseconds, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { expectPrefix } from "../options.ts";

/** The options of {@link redisTaskStore}. All processes that share tasks need the same `prefix`. */
export interface RedisTaskStoreOptions {
  /**
   * What the names of all keys and channels begin with. Servers whose tasks must not mix need different prefixes.
   * `A-Z a-z 0-9 . _ : -`, at most 64 characters. Default `toolwire`.
   */
  readonly prefix?: string | undefined;
  /** How many milliseconds a call of the engine may take. Default 2000. */
  readonly timeout?: number | undefined;
  /** How many milliseconds the first connection may take. Default 10 000. */
  readonly connectTimeout?: number | undefined;
  /** How often this process makes sure that it still hears what others publish, in milliseconds. Default 5000. */
  readonly pingInterval?: number | undefined;
}

const OPTIONS: OptionNames<RedisTaskStoreOptions> = {
  prefix: true,
  timeout: true,
  connectTimeout: true,
  pingInterval: true,
};

/** Options that are complete. */
export type TaskStoreSettings = {
  readonly [Name in keyof RedisTaskStoreOptions]-?: NonNullable<RedisTaskStoreOptions[Name]>;
};

/** Checks the options, and adds defaults. */
export function readTaskStoreOptions(options: RedisTaskStoreOptions): TaskStoreSettings {
  expectOptions("redisTaskStore", options, OPTIONS);
  return {
    prefix: expectPrefix(options.prefix),
    timeout: expectMilliseconds("timeout", options.timeout, 2000, 1),
    connectTimeout: expectMilliseconds("connectTimeout", options.connectTimeout, 10_000, 1),
    pingInterval: expectMilliseconds("pingInterval", options.pingInterval, 5000, 1),
  };
}
