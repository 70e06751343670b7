import { SERVER_BINDING, type ServerBinding } from "./binding.ts";
import { CompiledDefinition } from "./compiled-definition.ts";
import type { MethodTypesOf, ServerExtension } from "./define/extension.ts";
import type { PromptDefinitions, ServerOptions, ToolDefinitions } from "./define/options.ts";
import type { PromptDefinition } from "./define/prompt.ts";
import type { DefinitionSet, PromptTypesOf, ResourceSet, Server, ToolTypesOf } from "./define/server.ts";
import type { ToolDefinition } from "./define/tool.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Era } from "./eras/era.ts";
import { modernEra } from "./eras/modern.ts";
import * as olderEras from "./older-eras.ts";

/** The eras that servers speak. Requests that no era claims belong to the first. */
const ERAS: readonly [Era, ...Era[]] = [modernEra, ...Object.values<Era>(olderEras)];

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
export function createServer<
  const Tools extends ToolDefinitions = {},
  const Prompts extends PromptDefinitions = {},
  const Added extends readonly ServerExtension[] = readonly [],
>(
  options: ServerOptions<Tools, Prompts, Added>,
): Server<ToolTypesOf<Tools>, PromptTypesOf<Prompts>, MethodTypesOf<Added>> {
  // A copy, so that later changes have no effect. It also turns `undefined` into an object whose errors say what is missing.
  const definition = new CompiledDefinition(
    { ...options },
    ERAS.flatMap(({ revisions }) => revisions),
  );
  return new DefinedServer(definition, new Dispatcher(definition, ERAS));
}

/** A definition as users see it, and the hidden member for bindings. */
class DefinedServer implements Server {
  readonly #definition: CompiledDefinition;

  constructor(definition: CompiledDefinition, binding: ServerBinding) {
    this.#definition = definition;
    // Not enumerable: the binding is not shown where a server is printed.
    Object.defineProperty(this, SERVER_BINDING, { value: binding });
  }

  get name(): string {
    return this.#definition.info.name;
  }

  get version(): string {
    return this.#definition.info.version;
  }

  get tools(): DefinitionSet<ToolDefinition> {
    return this.#definition.tools;
  }

  get resources(): ResourceSet {
    return this.#definition.resources;
  }

  get prompts(): DefinitionSet<PromptDefinition> {
    return this.#definition.prompts;
  }
}
