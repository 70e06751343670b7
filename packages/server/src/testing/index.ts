/**
 * The rules of the contracts between servers and what they keep things in, as checks that any test runner can run: an engine in which
 * several servers meet, and a store of tasks. Use it to test one of your own: each check that fails says in words what went wrong.
 *
 * @packageDocumentation
 */
export { ContractViolation, registerContract, type ContractCheck, type TestRunner } from "@toolwire/protocol/testing";
export { clusterContract } from "./cluster-contract.ts";
export { taskStoreContract } from "./task-store-contract.ts";
export type { TaskStoreContractOptions } from "./task-store-trial.ts";
export type { ClusterContractOptions } from "./trial.ts";
