import { cleanUp, DEFAULT_TIMEOUT, toViolation, Watch, type ContractCheck } from "./contract.ts";
import { exchangeChecks, type ExchangeContractOptions, type ExchangePair } from "./exchange-checks.ts";
import { ExchangeEnds } from "./exchange-ends.ts";

/**
 * Makes the checks that every `ExchangeTransport` and the server behind it have to pass. They need no test runner:
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
    throw toViolation(error);
  } finally {
    await cleanUp(pair.client.close());
    await options.disconnect?.(pair);
  }
}
