import { UsageError } from "@toolwire/server";
import { isWorker, readWorkers } from "@toolwire/server/workers";
import { sourcesOf, expectConfig } from "./config/load-config.ts";
import { describeProblem } from "./config/problem.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Gateway, GatewayEvent, GatewayOptions } from "./gateway.ts";
import { openCluster } from "./running/open-cluster.ts";
import { redactEvent } from "./running/events.ts";
import { type GatewayRole, RunningGateway } from "./running/running-gateway.ts";
import { buildContents } from "./servers/build-contents.ts";
import { openStorage } from "./storage/open-storage.ts";
import { readStorageOptions } from "./storage-options.ts";
import { GatewayWorker } from "./workers/worker.ts";

/**
 * Starts a gateway: opens its storage, builds its servers, and listens. With `listen.workers`, each worker runs the main file of the
 * program again, where this makes one of several processes that serve; the configuration and the events are those of the first process.
 *
 * @throws UsageError that lists everything that is wrong with the configuration
 */
export async function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Promise<Gateway> {
  if (config.listen?.workers === undefined || !isWorker()) return startGateway(config, options, buildContents);
  return startWorker(await GatewayWorker.join(), options);
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
  const workers = countWorkers(config, options);
  const warn = (message: string): void => report({ level: "warning", message });
  const storage = options.storage ?? (await openStorage({ ...readStorageOptions(config, sources, warn), workers }));
  const redacted = (event: GatewayEvent): void => report(redactEvent(event, storage.redactor));
  let role: GatewayRole;
  try {
    role = { workers, shared: await openCluster(config, sources, storage, options) };
  } catch (error) {
    await storage.close();
    throw error;
  }
  const gateway = new RunningGateway(config, sources, storage, options, redacted, build, role);
  try {
    await gateway.start(options);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}

/** Starts one of the processes that serve. What the operator should know is told by the process that has started this one. */
export async function startWorker(worker: GatewayWorker, options: GatewayOptions): Promise<Gateway> {
  try {
    const { config, end } = worker;
    const sources = sourcesOf(options.folder, options.env);
    const warn = (message: string): void => worker.report({ level: "warning", message });
    const storage = await openStorage({
      ...readStorageOptions(config, sources, warn),
      worker: { slot: end.slot, database: worker.database, listen: worker.listen },
    });
    const tellRest = worker.follow(storage.calls);
    const shared = {
      cluster: end.cluster,
      async close() {
        tellRest();
        await end.end();
      },
    };
    const report = (event: GatewayEvent): void => worker.report(redactEvent(event, storage.redactor));
    // A server without keys is allowed on loopback only. The first process may listen on another host than the configuration names.
    const placed = { ...options, host: end.host };
    const gateway = new RunningGateway(config, sources, storage, placed, report, buildContents, { shared, worker });
    try {
      await gateway.start(placed);
    } catch (error) {
      await gateway.close();
      throw error;
    }
    return gateway;
  } catch (error) {
    worker.end.fail(error);
    throw error;
  }
}

/** How many workers a gateway starts; `undefined` if it serves itself. */
function countWorkers({ listen, analytics }: GatewayConfig, { cluster, storage }: GatewayOptions): number | undefined {
  if (listen?.workers === undefined) return undefined;
  if (storage === undefined && analytics?.store !== "memory") return readWorkers(listen.workers, cluster);
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`listen.workers` needs a store that processes can share, which memory and a `storage` of the program are not: each worker would have " +
      "one of its own. Name the store in `analytics`.",
  );
}
