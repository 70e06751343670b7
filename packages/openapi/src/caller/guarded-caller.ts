/** Sends requests in Node, through undici's pools: paths go out exactly as they were built, and addresses are checked. */
import { Deadlines } from "@toolwire/protocol/internal";
import { AddressPolicy } from "./address-policy.ts";
import { type OnHttpDiagnostic, tell, warnOfRefusals } from "./diagnostics.ts";
import { addressRefused, cancelled } from "./errors.ts";
import { createConnector, type Connector } from "./guarded-connector.ts";
import { GuardedCall } from "./guarded-call.ts";
import type { HttpCaller, HttpRequest, HttpResponse, SendOptions } from "./http-caller.ts";
import { type CheckedCallerOptions, expectCallerOptions, type HttpCallerOptions } from "./options.ts";
import { OriginPool } from "./origin-pool.ts";

export { createNetworkGuard, type Connector, type ConnectTarget, type NetworkGuard } from "./guarded-connector.ts";

/**
 * Makes a caller with connections of its own. Requests go to public addresses only, unless `network.allow` names others; redirects
 * are not followed; responses, times and waiting calls are limited.
 *
 * @example
 * ```ts
 * const http = createHttpCaller({ network: { allow: ["10.1.0.0/16", "localhost"] } });
 * ```
 */
export function createHttpCaller(options?: HttpCallerOptions): HttpCaller {
  return new GuardedCaller(expectCallerOptions(options));
}

class GuardedCaller implements HttpCaller {
  readonly #options: CheckedCallerOptions;
  readonly #policy: AddressPolicy;
  readonly #connect: Connector;
  readonly #onDiagnostic: OnHttpDiagnostic;
  readonly #deadlines = new Deadlines();
  readonly #pools = new Map<string, OriginPool>();

  constructor(options: CheckedCallerOptions) {
    this.#options = options;
    this.#policy = new AddressPolicy(options.network);
    this.#onDiagnostic = options.onDiagnostic ?? warnOfRefusals();
    this.#connect = createConnector(this.#policy, options, this.#onDiagnostic);
  }

  send(request: HttpRequest, options: SendOptions): Promise<HttpResponse> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(cancelled(signal.reason));
    const pool = this.#pools.get(request.origin) ?? this.#open(request.origin);
    if (pool === undefined) return Promise.reject(addressRefused());
    return new Promise((resolve, reject) => {
      new GuardedCall(
        request,
        options,
        this.#options,
        pool,
        this.#deadlines,
        this.#onDiagnostic,
        resolve,
        reject,
      ).start();
    });
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  /** Checks an origin, and makes its pool. Both happen once for each origin: origins come from definitions. */
  #open(origin: string): OriginPool | undefined {
    const problem = this.#policy.findProblem(origin);
    if (problem !== undefined) {
      tell(this.#onDiagnostic, { type: "address-refused", host: new URL(origin).hostname, message: problem });
      return undefined;
    }
    const pool = new OriginPool(origin, this.#connect, this.#options);
    this.#pools.set(origin, pool);
    return pool;
  }
}
