import type { EngineAddress } from "../engines/engine.ts";

/** The task of a server process, given on its command line as JSON. */
export interface ServerTask {
  readonly engine: EngineAddress;
  /** The port to listen on. */
  readonly port: number;
  /** The file in which it writes down what it does. */
  readonly journal: string;
  /** How many workers serve, if the engine is that of `workers`. */
  readonly workers: number;
}

/** The tools, which are also the kinds of calls. */
export type ToolName =
  /** Has its effect, and answers at once. */
  | "count"
  /** Has its effect, and reports progress for a while. */
  | "progress"
  /** Asks the user for the name of the call, and has its effect then. */
  | "ask"
  /** Reports progress so long that its stream can be cut in the middle, and has its effect at the end. */
  | "stream"
  /** Works until it is cancelled. Whoever lets it finish finds an effect. */
  | "long";

/** The arguments of all tools. */
export interface ToolArguments {
  /** The number of the call, which no other call has. */
  readonly call: string;
  /** How long it works, in milliseconds. */
  readonly ms: number;
  /** How often it reports progress meanwhile. */
  readonly reports: number;
}

/** The only right answer to a call. It names the call and the era in which it was made. */
export function answerTo(call: string, era: string): string {
  return `${call} is done, ${era}`;
}

/** What servers print to say how they are, one a line. */
export const LINES = {
  /** A process serves; its id follows. */
  serving: "serving ",
  /** All workers have been replaced. */
  reloaded: "reloaded",
} as const;

/** The exit code of a process that could not join its engine, and is to be started again. */
export const NOT_JOINED = 3;
