/** A message between nodes. Nodes of other versions may send kinds that this one does not know: those are ignored. */
export interface BusMessage {
  /** The same whenever a message is sent again, so that its receiver handles it once. At most 64 characters. */
  readonly id: string;
  readonly kind: string;
  /** Any JSON value. */
  readonly body: unknown;
}

/** Changes in the order of the log, and where the log stands after them. */
export interface ChangeBatch {
  readonly changes: readonly string[];
  /** A position in the log: at most 64 characters of `A-Z a-z 0-9 . _`. It means something to {@link Bus.changesAfter} only. */
  readonly place: string;
}

/** What a node does with what comes over the bus. No method may throw. */
export interface BusListener {
  /**
   * Handles a message of another node, or of this one. What it returns, or what its promise resolves to, is the reply to a
   * {@link Bus.request}: any JSON value. Replies to broadcasts are dropped.
   *
   * All listeners of a node get every message. The first that returns something else than `undefined` replies; if none does, the
   * reply is `null`. A promise must not reject.
   */
  message(message: BusMessage, from: string): unknown;
  /**
   * Takes changes of all nodes, this one's own among them, each at least once and in one order for all nodes. The first batch may be
   * empty: it then says where the log stands when listening begins. Engines send it as soon as they know.
   */
  changes(batch: ChangeBatch): void;
  /** Changes may have been missed: the log was cut, begun anew, or could not be read for too long. */
  missed(place: string | undefined): void;
  /** The engine can be reached again, or cannot be reached any more. */
  stateChanged?(isUp: boolean): void;
}

/** How nodes reach each other. Every promise rejects with a {@link ClusterError} if the engine cannot do it now. */
export interface Bus {
  /**
   * Sends a message to one node and returns its reply. Several sendings of one message id are handled once, and have the same
   * reply. Rejects with `NODE_GONE` if that node has ended, and `TIMEOUT` if it has not replied in time.
   */
  request(node: string, message: BusMessage, options: { readonly timeout: number }): Promise<unknown>;
  /** Sends a message to all other nodes, at most once to each. It may be lost. */
  broadcast(message: BusMessage): Promise<void>;
  /** Appends changes to the log that all nodes read. Resolves once they are in it. At most 65 536 characters in one call. */
  announce(changes: readonly string[]): Promise<void>;
  /** Reads on from a place in the log, at most `limit` changes. `"gap"` if changes after the place are not known any more. */
  changesAfter(place: string, limit: number): Promise<ChangeBatch | "gap">;
  /** Begins to listen. Returns a function that ends it. */
  listen(listener: BusListener): () => void;
  /** Whether the engine could be reached when it was last tried. */
  readonly isUp: boolean;
}
