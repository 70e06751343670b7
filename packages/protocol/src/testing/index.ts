/**
 * The rules of the two transport contracts as checks that any test runner can run. Use it to test a transport of your own:
 * each check that fails says in words what went wrong.
 *
 * @packageDocumentation
 */
export type { ChannelContractOptions, ChannelPair } from "./channel-check.ts";
export { channelContract } from "./channel-contract.ts";
export type { EndName } from "./channel-end.ts";
export { ContractViolation, registerContract, type ContractCheck, type TestRunner } from "./contract.ts";
export type { ExchangeContractOptions, ExchangePair } from "./exchange-checks.ts";
export { exchangeContract } from "./exchange-contract.ts";
export type { AnsweringPeer } from "./exchange-ends.ts";
