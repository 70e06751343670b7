/** The engines in which server processes can meet. */
export const ENGINE_NAMES = ["workers", "redis", "postgres"] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** Where server processes find the engine. */
export type EngineAddress = { readonly name: "workers" } | RemoteEngine;

/** An engine that is a server of its own. */
export interface RemoteEngine {
  readonly name: "redis" | "postgres";
  readonly url: string;
}

/** An engine that runs, for one row of the table. */
export interface Engine {
  readonly address: EngineAddress;
  /** Its kind and version, as people read them. */
  readonly title: string;
  /** What can be done to it. Absent if it cannot be hurt apart from the servers. */
  readonly faults?: EngineFaults | undefined;
  /** Stops it, and removes what it has kept. */
  close(): Promise<void>;
}

/** What can be done to an engine. */
export interface EngineFaults {
  /** Stops it and starts it again, in a way that keeps its data. Resolves when it takes connections. */
  restart(): Promise<void>;
  /** For so many milliseconds, nothing arrives at it or comes from it, and no connection is closed. */
  cutOff(ms: number): Promise<void>;
}

/** The machine has no such engine. */
export class EngineMissing extends Error {
  override readonly name: string = "EngineMissing";
}
