import type { ServerBinding } from "../../binding.ts";
import type { DetachCluster } from "../../cluster/attached.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { CallerCheck } from "./caller-check.ts";

const NOT_ATTACHED: DetachCluster = () => Promise.resolve();

/** Attaches the cluster of a binding to its server, and to what decides on its callers. Returns what the binding calls once it has closed. */
export function attachCluster(
  cluster: Cluster | undefined,
  server: ServerBinding,
  check: CallerCheck | undefined,
): DetachCluster {
  if (cluster === undefined) return NOT_ATTACHED;
  const detachServer = server.attachCluster(cluster);
  try {
    const detachCheck = check?.attachCluster(cluster) ?? NOT_ATTACHED;
    return async () => {
      await Promise.all([detachServer(), detachCheck()]);
    };
  } catch (error) {
    void detachServer();
    throw error;
  }
}
