import type { KeyedTool } from "../sources/source.ts";

/** Something that a person wants done, and the calls that do it. */
export interface Task {
  readonly title: string;
  /** The APIs behind the server. */
  readonly sources: readonly string[];
  readonly steps: readonly Step[];
}

/** One call of a task. */
export interface Step {
  /** What a model searches for. */
  readonly query: string;
  /** The tool: its source, and its method and path. */
  readonly source: string;
  readonly key: string;
  readonly args: { readonly [argument: string]: unknown };
  /** What the API answers: about as much as a model needs. */
  readonly answer: { readonly [member: string]: unknown };
}

/** The tools of a task, with the name of their API in front if there are several. */
export interface TaskTool extends KeyedTool {
  readonly source: string;
}

/**
 * A way to offer tools to a model. Measured so far: all of them in one list, and search mode. One that lets models write code is another
 * implementation.
 */
export interface Mode {
  readonly title: string;
  /** Does a task as a model would that makes no mistakes, over a connection between a client and a server. */
  run(task: Task, tools: readonly TaskTool[]): Promise<Transcript>;
}

/** What a model has read and written. */
export interface Transcript {
  /** The tools that are listed, as JSON. A model reads them again with every request. */
  readonly listed: string;
  /** The calls, each as what the model wrote and what it read. */
  readonly calls: readonly { readonly written: string; readonly read: string }[];
}

/** What a task costs. A token is counted as four bytes. */
export interface Cost {
  /** The calls: a model is asked once more after each of them. */
  readonly calls: number;
  /** What fills the context of the model when the task is done. */
  readonly context: number;
  /** What a model has read over all of its turns, if nothing is cached. */
  readonly read: number;
}

const BYTES_PER_TOKEN = 4;

/** What a transcript costs. */
export function costOf({ listed, calls }: Transcript): Cost {
  let context = tokensOf(listed);
  let read = context;
  for (const call of calls) {
    context += tokensOf(call.written) + tokensOf(call.read);
    read += context;
  }
  return { calls: calls.length, context, read };
}

function tokensOf(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TOKEN;
}
