import type { RequestId } from "@toolwire/protocol";
import type { HttpRequest } from "./request.ts";

/**
 * Counts the requests that are in flight: in all, and by client. A client is the caller if it is known, or else a
 * connection. A request counts until its work has ended and its answer has left this process.
 */
export class InFlightLimits {
  #all = 0;
  readonly #byCaller = new Map<string, number>();
  /** Weak, because a map whose entries come and go with every request leaves garbage. */
  readonly #byConnection = new WeakMap<object, number>();

  /** Whether there is room for so many more requests. Refuses the call if not. */
  hasRoom(call: HttpRequest, count: number, id?: RequestId): boolean {
    const { client, endpoint } = call;
    const { maxInFlight, maxInFlightPerClient } = endpoint.settings;
    if (this.#all + count > maxInFlight) return call.turnAway((from) => from.tooManyRequests(503, id));
    // Where clients cannot be told apart, all are the endpoint's.
    if (client === endpoint || this.#of(client) + count <= maxInFlightPerClient) return true;
    return call.turnAway((from) => from.tooManyRequests(429, id));
  }

  /** Counts so many more requests of a client, or fewer. */
  add(client: string | object, change: number): void {
    this.#all += change;
    const load = this.#of(client) + change;
    if (typeof client === "object") this.#byConnection.set(client, load);
    else if (load > 0) this.#byCaller.set(client, load);
    else this.#byCaller.delete(client);
  }

  /** Counts so many requests of a client for as long as something of them is left here. */
  addUntil(client: string | object, count: number, end: Promise<void>): void {
    this.add(client, count);
    void end.then(() => this.add(client, -count));
  }

  #of(client: string | object): number {
    return (typeof client === "object" ? this.#byConnection.get(client) : this.#byCaller.get(client)) ?? 0;
  }
}
