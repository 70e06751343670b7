import type { Context } from "@toolwire/server";
import type { Connections } from "../connections/connections.ts";
import type { Clear } from "../text/clear.ts";
import type { TaskSupport } from "./task-support.ts";
import type { WaitingTasks } from "./waiting-tasks.ts";

/** The requests of callers that are relayed to upstreams. All of them may ask the caller something. */
export type RelayedMethod = "tools/call" | "resources/read" | "prompts/get";

/** The way of calls to an upstream, for one principal or for all. */
export interface CallTarget {
  readonly upstream: string;
  readonly connections: Connections;
  /** Milliseconds without an answer or progress, and in total. */
  readonly timeout: number;
  readonly maxTimeout: number;
  /** Clears everything that the upstream sends to callers. */
  readonly clear: Clear;
  /** Has the caller log in, with other scopes than usual if a call needs them. `undefined` if callers do not log in themselves. */
  readonly logIn: ((ctx: Context, scopes: readonly string[] | undefined) => Promise<void>) | undefined;
  /** Tasks whose questions wait for callers. */
  readonly waiting: WaitingTasks;
  /** Hears of problems, for the operator. */
  report(message: string, error: unknown): void;
}

/** A request of a caller on its way. */
export interface RelayedRequest {
  readonly method: RelayedMethod;
  readonly params: object;
  readonly ctx: Context;
  /** What the caller has sent: the request, and the answers to questions. */
  readonly known: unknown[];
  /** How the upstream may answer with a task; `undefined` if it may not. */
  readonly tasks: TaskSupport | undefined;
}
