import type { Cell } from "../cells.ts";

/** The task of a server process, given on its command line as JSON. */
export interface ServerTask extends Pick<Cell, "binding" | "variant"> {
  /** The file to write executions to. */
  readonly journal: string;
  /** The port to listen on; unused over stdio. */
  readonly port: number;
  /** For how many milliseconds the server does nothing before it begins to serve. */
  readonly startDelay: number;
}

/** The arguments of the tools. */
export interface WorkArguments {
  /** The id of the call. */
  readonly call: string;
  /** How long it takes, in milliseconds. */
  readonly ms: number;
  /** Whether it takes effect before or after that time. */
  readonly effect: "first" | "last";
  /** How often it reports progress meanwhile. */
  readonly reports: number;
  /** Whether to ask the user first. */
  readonly asks: boolean;
  /** Whether it goes on to the end when it is cancelled. */
  readonly isDeaf: boolean;
  /** How long the answer is, in characters. */
  readonly length: number;
}

/** The only right answer to a call. It names the call and the era in which it was made. */
export function answerTo({ call, length }: Pick<WorkArguments, "call" | "length">, era: string): string {
  return `${call} ${era} `.padEnd(length, `${call};`);
}
