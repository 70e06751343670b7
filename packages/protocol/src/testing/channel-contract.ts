import type { ChannelCheck, ChannelContractOptions, ChannelPair } from "./channel-check.ts";
import { ChannelEnd } from "./channel-end.ts";
import { deliveryChecks } from "./channel-delivery.ts";
import { endingChecks } from "./channel-ending.ts";
import { limitChecks } from "./channel-limits.ts";
import { cleanUp, DEFAULT_TIMEOUT, toViolation, Watch, type ContractCheck } from "./contract.ts";

/**
 * Makes the checks that every `Channel` has to pass. They need no test runner: pass them to `registerContract`, or
 * run them yourself.
 */
export function channelContract<Pair extends ChannelPair>(options: ChannelContractOptions<Pair>): ContractCheck[] {
  const checks: ChannelCheck<Pair>[] = [...deliveryChecks(options), ...endingChecks(options), ...limitChecks(options)];
  return checks.map((check) => ({ name: check.name, run: () => runCheck(check, options) }));
}

async function runCheck<Pair extends ChannelPair>(
  check: ChannelCheck<Pair>,
  options: ChannelContractOptions<Pair>,
): Promise<void> {
  const watch = new Watch(options.timeout ?? DEFAULT_TIMEOUT);
  const pair = await watch.settle(options.connect(), "`connect` did not give a pair of channels in time.");
  const ends: ChannelEnd[] = [];
  try {
    const client = new ChannelEnd("client", pair.client, watch);
    ends.push(client);
    const opening = client.open(check.hearsInputEnd ?? false);
    // The failure of the client is told below, where both ends are awaited.
    opening.catch(() => {});
    const accepted = watch.settle(pair.server, "The server's end of the connection never came.");
    const server = new ChannelEnd("server", await Promise.race([accepted, opening.then(() => accepted)]), watch);
    ends.push(server);
    await Promise.all([opening, server.open(check.hearsInputEnd ?? false)]);
    await check.run({ client, server, pair, watch });
    for (const end of ends) end.expectOrder();
  } catch (error) {
    throw toViolation(error);
  } finally {
    await cleanUp(Promise.all(ends.map((end) => end.abandon())));
    await options.disconnect?.(pair);
  }
}
