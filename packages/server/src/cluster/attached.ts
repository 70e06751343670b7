import { UsageError } from "@toolwire/protocol";
import type { Cluster } from "./cluster.ts";

/** Ends the use of a cluster. Resolves when what was on its way has arrived, or has failed to. */
export type DetachCluster = () => Promise<void>;

/**
 * The cluster of a server, or of anything else that several bindings have in common: the same for all of them, from the first that
 * brings it until the last has closed.
 */
export class AttachedCluster {
  readonly #owner: string;
  readonly #use: (cluster: Cluster) => DetachCluster;
  #current: Cluster | undefined;
  #bindings = 0;
  #leave: DetachCluster | undefined;

  /** `owner` names what is attached, for error messages. `use` is called with a cluster that is new. */
  constructor(owner: string, use: (cluster: Cluster) => DetachCluster = () => () => Promise.resolve()) {
    this.#owner = owner;
    this.#use = use;
  }

  /** The cluster, while at least one binding has brought it. */
  get current(): Cluster | undefined {
    return this.#current;
  }

  /**
   * Attaches the cluster of a binding. Returns what the binding calls when it has closed.
   *
   * @throws UsageError if another binding has brought another cluster
   */
  attach(cluster: Cluster): DetachCluster {
    if (this.#current === undefined) {
      this.#leave = this.#use(cluster);
      this.#current = cluster;
    } else if (this.#current !== cluster) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `\`cluster\` is not the one that ${this.#owner} has already: make one for the process, and give it to all bindings.`,
      );
    }
    this.#bindings += 1;
    let isAttached = true;
    return () => {
      if (!isAttached) return Promise.resolve();
      isAttached = false;
      this.#bindings -= 1;
      if (this.#bindings > 0) return Promise.resolve();
      this.#current = undefined;
      return this.#leave?.() ?? Promise.resolve();
    };
  }
}
