import { RpcError, type Client, type Prompt, type Resource, type ResourceTemplate, type Tool } from "@toolwire/client";

/** Everything that an upstream offers. */
export interface UpstreamLists {
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
export async function listAll(client: Client, report: (problem: string) => void): Promise<UpstreamLists> {
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

/** The shortest and the longest time between two listings, in milliseconds. */
const SHORTEST = 1000;
const LONGEST = 60_000;

/**
 * Lists again when an upstream announces changes, but only as often as is reasonable: at once after a quiet time, and ever more
 * seldom while changes keep being announced. A flood of announcements costs one listing a minute.
 */
export class RefreshLimit {
  readonly #refresh: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #interval = SHORTEST;
  #nextAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  /** Lists now, or resolves with the listing that is under way. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWanted = false;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Lists as soon as it is time to. */
  request(): void {
    this.#isWanted = true;
    if (this.#running !== undefined || this.#timer !== undefined) return;
    const wait = this.#nextAt - performance.now();
    if (wait <= 0) {
      this.#interval = wait < -10 * SHORTEST ? SHORTEST : this.#interval;
      void this.now();
      return;
    }
    this.#timer = setTimeout(() => void this.now(), wait);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #run(): Promise<void> {
    try {
      await this.#refresh();
    } finally {
      this.#running = undefined;
      this.#nextAt = performance.now() + this.#interval;
      this.#interval = Math.min(this.#interval * 2, LONGEST);
      if (this.#isWanted) this.request();
    }
  }
}
