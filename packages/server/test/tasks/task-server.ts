/** Servers with tasks, for tests. */
import type { ClientCapabilities } from "@toolwire/protocol";
import { z } from "zod";
import { createServer, type Server, tool, type ToolDefinition } from "../../src/index.ts";
import type { ServerDiagnostic } from "../../src/diagnostics.ts";
import { type TasksOptions, tasks } from "../../src/tasks/index.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

/** The capabilities of a client that does not know tasks. */
export const PLAIN: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The capabilities of a client that knows tasks, and can be asked anything. */
export const DECLARED: ClientCapabilities = { ...PLAIN, extensions: { [TASKS]: {} } };

/** A form with a name in it. */
export const NAME = { message: "Who are you?", schema: z.object({ name: z.string() }) };

/** The answer to {@link NAME}. */
export const ADA = { action: "accept", content: { name: "Ada" } };

/** What a test changes about a server. */
export interface TaskServerOptions extends TasksOptions {
  /** Gets what an operator would read. */
  readonly log?: ServerDiagnostic[];
  readonly stateKey?: string;
}

/** Makes a server with tasks. */
export function serveTasks(
  tools: { readonly [name: string]: ToolDefinition },
  { log, stateKey, ...options }: TaskServerOptions = {},
): Server {
  return createServer({
    name: "tasks",
    version: "1.0.0",
    tools,
    extensions: [tasks({ sweepInterval: 20, ...options })],
    ...(stateKey !== undefined && { stateKey }),
    onDiagnostic: (event) => void log?.push(event),
  }) as Server;
}

/** A tool that says hello when it knows to whom. */
export const greeter: ToolDefinition = tool({
  task: true,
  async run(_args, ctx) {
    const { name } = await ctx.elicit("who", NAME);
    return `Hello, ${name}!`;
  },
});
