/**
 * Keeps tasks in files of one directory, for servers on one machine: they survive restarts, and several processes can share them.
 *
 * @packageDocumentation
 */
export { fileTaskStore } from "./file-task-store.ts";
export type { TaskRecord, TaskStore } from "../store.ts";
