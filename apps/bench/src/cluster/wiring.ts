/** How the processes of the cluster benchmark are wired. It travels to them as JSON. */

/** The engines in which nodes meet. The one in memory belongs to the process of its nodes. */
export type EngineName = "memory" | "redis" | "postgres";

/** Where a process finds its engine. */
export interface EngineAddress {
  readonly name: EngineName;
  /** Of Redis and Postgres. */
  readonly url?: string;
  /** The part of it that belongs to one cluster, so that clusters do not meet. */
  readonly space?: string;
}

/** One process with one node or two. */
export interface Wiring {
  readonly sessions: "kept" | "sealed" | "none";
  readonly answers: "json" | "sse";
  readonly engine?: EngineAddress | undefined;
  /**
   * A second node of the same engine, to which calls are sent while sessions are opened at the first. One that is forgetful remembers one
   * session at a time, so that it has to look up the session of every call.
   */
  readonly second?: "forgetful" | "usual";
  /** What observes the server: the observer without an SDK, or with one that records some or all of the traces. */
  readonly telemetry?: "no SDK" | "sampled" | "always";
  /** How many processes share the port. */
  readonly workers?: number;
}

/** The share of traces that is recorded where only some are. */
export const SAMPLED = 0.01;

/** The resource that listeners watch. */
export const ITEM_URI = "bench://item";

/** The operations that are measured. The others cost as much as one of these. */
export const MEASURED = [
  "sessions.create",
  "sessions.get",
  "sessions.touch",
  "sessions.update",
  "sessions.claim",
  "events.append",
  "events.read",
  "bus.request",
  "bus.broadcast",
  "bus.announce",
] as const;

/** One of them. */
export type MeasuredOperation = (typeof MEASURED)[number];
