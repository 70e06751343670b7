import { CountedRequests, type RequestLimit } from "@toolwire/protocol/internal";

/** What counts the requests of one connection, alone or with others. */
export interface ConnectionLimit extends RequestLimit {
  /** The connection has ended. Work that it has left behind counts until it ends. */
  leave(): void;
}

/**
 * Limits the requests of all connections together, and those of each client. A client is the caller on all its connections
 * if it is known who calls, or else a connection.
 */
export class RequestLimits {
  readonly #all: CountedRequests;
  readonly #maxPerClient: number;
  /** Callers that have a connection, or work that has not ended. */
  readonly #callers = new Map<string, ClientRequests>();

  constructor(max: number, maxPerClient: number) {
    this.#all = new CountedRequests(max);
    this.#maxPerClient = maxPerClient;
  }

  /** Takes in a new connection. */
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
