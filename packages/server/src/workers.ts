/**
 * One port for several processes, for programs with listeners of their own: this process listens, keeps what the workers share, and
 * hands connections to them. Each worker runs the main file of the program again. Programs that serve one server use the option
 * `workers` of `serveHttp`.
 *
 * @packageDocumentation
 */
export { isWorker, readWorkers } from "./bindings/http/node/workers/settings.ts";
export {
  startWorkers,
  type StartedWorkers,
  type StartWorkersOptions,
} from "./bindings/http/node/workers/started-workers.ts";
export type { PoolProgram } from "./bindings/http/node/workers/pool.ts";
export { type WorkerDuties, WorkerEnd } from "./bindings/http/node/workers/worker-end.ts";
