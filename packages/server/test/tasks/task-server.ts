/** Servers with tasks, and clients that know them. */
import type { ClientCapabilities } from "@toolwire/protocol";
import { z } from "zod";
import { createServer, type Server, tool, type ToolDefinition } from "../../src/index.ts";
import type { ServerDiagnostic } from "../../src/diagnostics.ts";
import { type TasksOptions, tasks } from "../../src/tasks/index.ts";
import { type Json, LegacyClient, ModernClient } from "../wire-client.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

/** The capabilities of a client that knows tasks, and can be asked anything. */
export const DECLARED: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [TASKS]: {} },
};

/** The capabilities of a client that does not know tasks. */
export const PLAIN: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A form with a name in it. */
export const NAME = { message: "Who are you?", schema: z.object({ name: z.string() }) };

/** Makes a server with tasks. What an operator would read is added to `log`. */
export function serveTasks(
  tools: { readonly [name: string]: ToolDefinition },
  options: TasksOptions = {},
  log: ServerDiagnostic[] = [],
): Server {
  return createServer({
    name: "tasks",
    version: "1.0.0",
    tools,
    extensions: [tasks({ sweepInterval: 20, ...options })],
    onDiagnostic: (event) => void log.push(event),
  }) as Server;
}

/** A client of the extension. */
export function declaring(server: Server, capabilities: ClientCapabilities = DECLARED): ModernClient {
  return new ModernClient(server, { capabilities });
}

/** A client of 2025-11-25. */
export function legacy(server: Server, answer?: LegacyClient["answer"]): Promise<LegacyClient> {
  return LegacyClient.open(server, { capabilities: PLAIN, ...(answer !== undefined && { answer }) });
}

/** Asks for a task again and again, until it is as it should be. */
export async function taskWhen(
  client: ModernClient | LegacyClient,
  taskId: string,
  isMet: (task: Json) => boolean,
): Promise<Json> {
  for (;;) {
    const task: Json = await client.request("tasks/get", { taskId });
    if (isMet(task)) return task;
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** Waits for a task to have a status. */
export function taskIn(client: ModernClient | LegacyClient, taskId: string, status: string): Promise<Json> {
  return taskWhen(client, taskId, (task) => (task as { status: string }).status === status);
}

/** A tool that says hello when it knows to whom. */
export const greeter: ToolDefinition = tool({
  task: true,
  async run(_args, ctx) {
    const { name } = await ctx.elicit("who", NAME);
    return `Hello, ${name}!`;
  },
});
