import { RpcError, type Client, type Prompt, type Resource, type ResourceTemplate, type Tool } from "@toolwire/client";

/** Everything that an upstream offers. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Whether the upstream completes arguments. */
  readonly completes: boolean;
}

/** The most items of one list that are taken from an upstream. */
const MAX_ITEMS = 10_000;

/**
 * Lists everything that an upstream offers. `report` is told of a list that is longer than what is taken, and of one that the
 * upstream refuses though it declares it; the others are of use without it.
 */
export async function listAll(client: Client, report: (problem: string) => void): Promise<Listing> {
  const take = async <T>(kind: string, items: AsyncIterable<T>): Promise<readonly T[]> => {
    const taken: T[] = [];
    try {
      for await (const item of items) {
        if (taken.length === MAX_ITEMS) {
          report(`It lists more than ${MAX_ITEMS} ${kind}: the rest is left out.`);
          break;
        }
        taken.push(item);
      }
    } catch (error) {
      if (!(error instanceof RpcError) || error.refusal?.isTemporary === true) throw error;
      report(`It does not list its ${kind}: ${JSON.stringify(error.message.slice(0, 200))}`);
    }
    return taken;
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    take("tools", client.allTools()),
    take("resources", client.allResources()),
    take("resource templates", client.allResourceTemplates()),
    take("prompts", client.allPrompts()),
  ]);
  return { tools, resources, templates, prompts, completes: client.capabilities.completions !== undefined };
}

/** Lists the tools of an upstream, as far as they are taken. */
export async function listTools(client: Client): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  for await (const tool of client.allTools()) if (tools.push(tool) === MAX_ITEMS) break;
  return tools;
}
