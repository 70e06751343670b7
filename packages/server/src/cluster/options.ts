import { expectOption, isObject } from "@toolwire/protocol/internal";
import type { Cluster } from "./cluster.ts";

/** Checks the option that takes a cluster. Throws a `UsageError` for a client of an engine, which is easily passed instead. */
export function expectCluster(option: string, given: Cluster | undefined): Cluster | undefined {
  const fits = given === undefined || (isObject(given) && typeof given.node === "string" && isObject(given.bus));
  return expectOption(option, given, fits, "a cluster, as redisCluster(client) returns it");
}
