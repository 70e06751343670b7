/**
 * The rules of the two transport contracts as checks that any test runner can run. Use it to test a transport of your own:
 * each check that fails says in words what went wrong.
 *
 * @packageDocumentation
 */
export { channelContract, type ChannelContractOptions, type ChannelPair } from "./channel-contract.ts";
export type { EndName } from "./channel-end.ts";
export { ContractViolation, registerContract, type ContractCheck, type TestRunner } from "./contract.ts";
export {
  exchangeContract,
  type AnsweringPeer,
  type ExchangeContractOptions,
  type ExchangePair,
} from "./exchange-contract.ts";
