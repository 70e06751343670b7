import type { ServerBinding } from "../../binding.ts";
import type { DetachCluster } from "../../cluster/attached.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { CallerCheck } from "./caller-check.ts";

const NOT_ATTACHED: DetachCluster = () => Promise.resolve();

/** Opens a server, with the cluster of the binding for it and for what decides on its callers. Returns what the binding calls once it has closed. */
export function openServer(
  cluster: Cluster | undefined,
  server: ServerBinding,
  check: CallerCheck | undefined,
): DetachCluster {
  const closeServer = server.open(cluster);
  if (cluster === undefined) return closeServer;
  try {
    const detachCheck = check?.attachCluster(cluster) ?? NOT_ATTACHED;
    return async () => {
      await Promise.all([closeServer(), detachCheck()]);
    };
  } catch (error) {
    void closeServer();
    throw error;
  }
}
