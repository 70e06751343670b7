/**
 * The rules of the contract between servers and an engine in which several of them meet, as checks that any test runner can run. Use it
 * to test an engine of your own: each check that fails says in words what went wrong.
 *
 * @packageDocumentation
 */
export { ContractViolation, registerContract, type ContractCheck, type TestRunner } from "@toolwire/protocol/testing";
export { clusterContract } from "./cluster-contract.ts";
export type { ClusterContractOptions } from "./trial.ts";
