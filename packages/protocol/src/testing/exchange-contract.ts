import type { Exchange, ExchangeTransport, NotificationMessage, Reply, RequestMessage } from "../index.ts";
import { ContractViolation, DEFAULT_TIMEOUT, Watch, describeError, type ContractCheck } from "./contract.ts";
import { exchangeChecks } from "./exchange-checks.ts";
import { ExchangeEnds } from "./exchange-ends.ts";

/** The answering side of the connection, which the suite plays: it decides when and how a request is answered. */
export interface AnsweringPeer {
  /** Takes a request of the client. The exchange that it returns is cancelled when the client cancels the request. */
  request(request: RequestMessage, reply: Reply): Exchange;
  /** Takes a notification of the client. */
  notification(message: NotificationMessage): void;
}

/** A client's transport that is connected to a server, and not open yet. */
export interface ExchangePair {
  readonly client: ExchangeTransport;
}

/** How the suite gets connections, and what they can do. */
export interface ExchangeContractOptions<Pair extends ExchangePair = ExchangePair> {
  /**
   * Starts a server that hands every request and notification to `peer`, and makes a transport that reaches it. Called once
   * for each check. Put whatever the other functions need into the result.
   */
  readonly connect: (peer: AnsweringPeer) => Pair | Promise<Pair>;
  /** Releases what `connect` has made. By then, the transport has been closed. */
  readonly disconnect?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** Ends the server at once, with requests in flight. Absent: the check of this is left out. */
  readonly stopServer?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** How many milliseconds one check may take. Default 4000. */
  readonly timeout?: number | undefined;
}

/** How long cleaning up after a check may take, in milliseconds. */
const CLEANUP_MS = 1000;

/**
 * Makes the checks that every {@link ExchangeTransport} and the server behind it have to pass. They need no test runner:
 * pass them to `registerContract`, or run them yourself.
 */
export function exchangeContract<Pair extends ExchangePair>(options: ExchangeContractOptions<Pair>): ContractCheck[] {
  return exchangeChecks(options).map(({ name, run }) => ({ name, run: () => runCheck(run, options) }));
}

async function runCheck<Pair extends ExchangePair>(
  run: (ends: ExchangeEnds, pair: Pair) => Promise<void>,
  options: ExchangeContractOptions<Pair>,
): Promise<void> {
  const watch = new Watch(options.timeout ?? DEFAULT_TIMEOUT);
  const ends = new ExchangeEnds(watch);
  const pair = await watch.settle(options.connect(ends.peer), "`connect` did not give a transport in time.");
  try {
    await ends.open(pair.client);
    await run(ends, pair);
    ends.expectOrder();
  } catch (error) {
    if (error instanceof ContractViolation) throw error;
    throw new ContractViolation(`The connection could not be tested: ${describeError(error)}`, { cause: error });
  } finally {
    await cleanUp(pair, options);
  }
}

/** Closes everything. Errors are ignored: the outcome of the check is known, and closing has checks of its own. */
async function cleanUp<Pair extends ExchangePair>(pair: Pair, options: ExchangeContractOptions<Pair>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLEANUP_MS);
  });
  await Promise.race([late, pair.client.close().catch(() => {})]);
  clearTimeout(timer);
  await options.disconnect?.(pair);
}
