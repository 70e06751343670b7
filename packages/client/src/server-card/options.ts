import { UsageError } from "@toolwire/protocol";
import {
  expectBytes,
  expectChoice,
  expectDuration,
  expectFunction,
  expectOption,
  expectOptions,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Zone } from "../auth/network/zones.ts";
import type { Fetch, HttpConnectOptions, HttpConnector } from "../transports/http/options.ts";

/** How public documents are read. */
export interface ReadOptions {
  /** A `fetch` of your own. It decides by itself which addresses its names lead to. Default: that of the platform. */
  readonly fetch?: Fetch | undefined;
  /** How to connect to the server of the first document. Node only, without `fetch`. */
  readonly connect?: HttpConnectOptions | HttpConnector | undefined;
  /** How many milliseconds one document may take. Default 10 000. */
  readonly timeout?: number | undefined;
  /** The largest document, in bytes. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * The most private network that documents may lead to. Default: that of the server whose document leads there, so that nobody on the
   * internet can send you to addresses that only you reach.
   */
  readonly allowNetwork?: Zone | undefined;
  /** Gives up. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked options. */
export interface ReadSettings extends ReadOptions {
  readonly timeout: number;
  readonly maxBytes: number;
}

const READ_OPTIONS: OptionNames<ReadOptions> = {
  fetch: true,
  connect: true,
  timeout: true,
  maxBytes: true,
  allowNetwork: true,
  signal: true,
};

/** Checks options that may have further names. */
export function readOptions<Options extends ReadOptions>(
  taker: string,
  given: Options,
  names: OptionNames<Omit<Options, keyof ReadOptions>>,
): ReadSettings {
  expectOptions<object>(taker, given, { ...READ_OPTIONS, ...names });
  const { fetch, connect, timeout = 10_000, maxBytes, allowNetwork, signal } = given;
  if (fetch !== undefined) expectFunction("fetch", fetch);
  const isConnector = connect === undefined || isObject(connect) || typeof connect === "function";
  expectOption("connect", connect, isConnector, "an object, or a function that opens connections");
  if (fetch !== undefined && connect !== undefined) {
    throw new UsageError("INVALID_ARGUMENT", "The option `connect` is for Node's own connections, not for `fetch`.");
  }
  return {
    fetch,
    connect,
    timeout: expectDuration("timeout", timeout),
    maxBytes: expectBytes("maxBytes", maxBytes, 1024 * 1024),
    allowNetwork:
      allowNetwork && expectChoice("allowNetwork", ["public", "private", "loopback", "link-local"], allowNetwork),
    signal,
  };
}
