import { CompiledServer } from "./compiled-server.ts";
import type { PromptDefinitions, ServerOptions, ToolDefinitions } from "./define/options.ts";
import type { PromptTypesOf, Server, ToolTypesOf } from "./server.ts";

/**
 * Defines a server. Nothing is opened or started yet. Pass the result to `serveStdio`, `serveHttp`, `serveWebSocket` or
 * `serveChannel`, or to several of them.
 *
 * @throws UsageError if anything in the definition cannot be served, saying what to change
 *
 * @example
 * ```ts
 * const server = createServer({
 *   name: "greeter",
 *   version: "1.0.0",
 *   tools: {
 *     greet: tool({ input: z.object({ name: z.string() }), run: ({ name }) => `Hello, ${name}!` }),
 *   },
 * });
 * ```
 */
export function createServer<const Tools extends ToolDefinitions = {}, const Prompts extends PromptDefinitions = {}>(
  options: ServerOptions<Tools, Prompts>,
): Server<ToolTypesOf<Tools>, PromptTypesOf<Prompts>> {
  // A copy, also of nothing: whoever gives nothing is told what is missing.
  return new CompiledServer({ ...options });
}
