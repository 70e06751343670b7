import { UsageError } from "@toolwire/server";
import { resolve } from "node:path";
import type { GatewayConfig } from "./config/config.ts";
import { readDuration } from "./config/durations.ts";
import { fillIn, type ReferenceSources } from "./config/references.ts";
import type { StorageOptions } from "./storage/open-storage.ts";

/** The folder of the embedded database and of the spool, if the configuration names none. */
const DEFAULT_PATH = "data";

/**
 * Reads the `analytics` of a configuration: fills in references, and makes the folder relative to the configuration file.
 *
 * @throws UsageError if a reference is not set
 */
export function readStorageOptions(
  { analytics = {} }: GatewayConfig,
  sources: ReferenceSources,
  onWarning: (message: string) => void,
): StorageOptions {
  const { store, path = DEFAULT_PATH, url, retention, maxSpoolBytes } = analytics;
  return {
    store,
    path: resolve(sources.folder, expectFilled("analytics.path", path, sources)),
    url: url === undefined ? undefined : expectFilled("analytics.url", url, sources),
    retention: { calls: readTime(retention?.calls), hourly: readTime(retention?.hourly) },
    spool: { maxSpoolBytes },
    sealingKeys: sources.env["TOOLWIRE_GATEWAY_KEYS"],
    onWarning,
  };
}

/** Secrets are kept in the storage, so that nothing that opens it can refer to one. */
function expectFilled(place: string, text: string, sources: ReferenceSources): string {
  const filled = fillIn(text, sources);
  if ("text" in filled) return filled.text;
  throw new UsageError("INVALID_DEFINITION", `${place}: ${filled.problem}`);
}

function readTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readDuration(text);
}
