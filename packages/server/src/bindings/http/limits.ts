import type { RequestId } from "@toolwire/protocol";
import type { Refusal } from "../admission/refusals.ts";
import { tooManyRequests } from "./errors.ts";

/**
 * Counts the requests in flight: in all, and by client. A client is a principal if there is one, or else a connection. A
 * request counts until its work has ended and its response has left this process.
 */
export class InFlightLimits {
  readonly #max: number;
  readonly #maxPerClient: number;
  readonly #unlimited: object;
  #all = 0;
  readonly #byPrincipal = new Map<string, number>();
  /** Holds an object for each connection, so that counting a request writes no map: entries that come and go are garbage. */
  readonly #byConnection = new WeakMap<object, { count: number }>();

  /** `unlimited` stands for all clients that cannot be told apart; there is no limit per client for it. */
  constructor(max: number, maxPerClient: number, unlimited: object) {
    this.#max = max;
    this.#maxPerClient = maxPerClient;
    this.#unlimited = unlimited;
  }

  /** Returns the refusal if so many more requests would be too many; `undefined` if there is room for them. */
  check(client: string | object, count: number, id?: RequestId): Refusal | undefined {
    if (this.#all + count > this.#max) return tooManyRequests(503, id);
    if (client === this.#unlimited || this.#countOf(client) + count <= this.#maxPerClient) return undefined;
    return tooManyRequests(429, id);
  }

  /** Counts so many more requests of a client, or fewer. */
  add(client: string | object, change: number): void {
    this.#all += change;
    if (typeof client === "object") {
      const counted = this.#byConnection.get(client);
      if (counted === undefined) this.#byConnection.set(client, { count: change });
      else counted.count += change;
      return;
    }
    const count = this.#countOf(client) + change;
    if (count > 0) this.#byPrincipal.set(client, count);
    else this.#byPrincipal.delete(client);
  }

  /** Counts so many requests of a client until a promise resolves. */
  addUntil(client: string | object, count: number, end: Promise<void>): void {
    this.add(client, count);
    void end.then(() => this.add(client, -count));
  }

  #countOf(client: string | object): number {
    return (typeof client === "object" ? this.#byConnection.get(client)?.count : this.#byPrincipal.get(client)) ?? 0;
  }
}
