import { sourcesOf, expectConfig } from "./config/load-config.ts";
import { describeProblem } from "./config/problem.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Gateway, GatewayEvent, GatewayOptions } from "./gateway.ts";
import { openCluster, type SharedCluster } from "./running/open-cluster.ts";
import { redactEvent } from "./running/events.ts";
import { RunningGateway } from "./running/running-gateway.ts";
import { buildContents } from "./servers/build-contents.ts";
import { openStorage } from "./storage/open-storage.ts";
import { readStorageOptions } from "./storage-options.ts";

/**
 * Starts a gateway: opens its storage, builds its servers, and listens.
 *
 * @throws UsageError that lists everything that is wrong with the configuration
 */
export async function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway(config, options, buildContents);
}

/** Does the work of `createGateway`, with servers that may have been built before. */
export async function startGateway(
  config: GatewayConfig,
  options: GatewayOptions,
  build: typeof buildContents,
): Promise<Gateway> {
  const sources = sourcesOf(options.folder, options.env);
  const report = options.onEvent ?? (() => undefined);
  const problems = options.isChecked === true ? [] : expectConfig(config, sources);
  for (const problem of problems) report({ level: "warning", message: describeProblem(problem) });
  const warn = (message: string): void => report({ level: "warning", message });
  const storage = options.storage ?? (await openStorage(readStorageOptions(config, sources, warn)));
  const redacted = (event: GatewayEvent): void => report(redactEvent(event, storage.redactor));
  let shared: SharedCluster | undefined;
  try {
    shared = await openCluster(config, sources, storage, options);
  } catch (error) {
    await storage.close();
    throw error;
  }
  const gateway = new RunningGateway(config, sources, storage, options, redacted, build, shared);
  try {
    await gateway.start(options);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}
