import { CountedRequests, type RequestLimit } from "@toolwire/protocol/internal";

/** Counts the requests of one connection, or of all connections of one caller. */
export interface ConnectionLimit extends RequestLimit {
  /** Ends the connection. Its requests count until their work has ended. */
  leave(): void;
}

/**
 * Limits the requests of all connections together, and of each client. A client is an authenticated caller on all its
 * connections, or else one connection.
 */
export class RequestLimits {
  readonly #all: CountedRequests;
  readonly #maxPerClient: number;
  /** The callers that have a connection, or work that has not ended. */
  readonly #callers = new Map<string, ClientRequests>();

  constructor(max: number, maxPerClient: number) {
    this.#all = new CountedRequests(max);
    this.#maxPerClient = maxPerClient;
  }

  /** Adds a connection. */
  join(caller: string | undefined): ConnectionLimit {
    const known = caller === undefined ? undefined : this.#callers.get(caller);
    const client = known ?? this.#create(caller);
    client.connections += 1;
    return client;
  }

  #create(caller: string | undefined): ClientRequests {
    if (caller === undefined) return new ClientRequests(this.#maxPerClient, this.#all, () => undefined);
    const client = new ClientRequests(this.#maxPerClient, this.#all, () => void this.#callers.delete(caller));
    this.#callers.set(caller, client);
    return client;
  }
}

class ClientRequests extends CountedRequests implements ConnectionLimit {
  connections = 0;
  readonly #onIdle: () => void;

  constructor(max: number, all: CountedRequests, onIdle: () => void) {
    super(max, all);
    this.#onIdle = onIdle;
  }

  override add(change: number): void {
    super.add(change);
    if (this.connections === 0) this.#forgetIfIdle();
  }

  leave(): void {
    this.connections -= 1;
    if (this.connections === 0) this.#forgetIfIdle();
  }

  #forgetIfIdle(): void {
    if (this.count === 0) this.#onIdle();
  }
}
