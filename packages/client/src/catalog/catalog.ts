import type { ListToolsResult, Tool } from "@toolwire/protocol";
import { headersForArguments, isObject, quoteWords, readHeaderAnnotations } from "@toolwire/protocol/internal";
import type { Link } from "../connection/link.ts";
import { weigh } from "../cache/result-cache.ts";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { OutputCheck } from "./output.ts";

/**
 * Finds the arguments of a tool that headers have to repeat (2026-07-28, "Custom Headers from Tool Parameters"). Throws a
 * `UsageError` if its annotations break the rules. Few tools have any, so this is loaded with the first that does.
 */
export function readMirror({ inputSchema }: Tool): Mirror | undefined {
  const annotations = readHeaderAnnotations(inputSchema);
  return annotations.length === 0 ? undefined : (args) => headersForArguments(annotations, args);
}

/** How many pages of tools are worth looking through. */
const MAX_PAGES = 100;

/** Goes through the whole list of tools, one page after the other; `list` asks for a page, and takes note of it. */
export async function readToolList(link: Link, list: (params: object) => Promise<object>): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { agreement } = link;
    const params = cursor === undefined ? {} : { cursor };
    // In another session than its own, a cursor is of no use: the list begins anew.
    const isStale = (): boolean => link.agreement !== agreement && cursor !== undefined;
    try {
      const { nextCursor } = (await list(params)) as ListToolsResult;
      if (isStale()) cursor = undefined;
      else if (nextCursor === undefined || nextCursor === cursor) return;
      else cursor = nextCursor;
    } catch (error) {
      if (!isStale()) throw error;
      cursor = undefined;
    }
  }
}

/** Makes the headers that repeat arguments of a call. */
export type Mirror = (args: { readonly [argument: string]: unknown }) => Readonly<Record<string, string>>;

/** A tool as it was listed, and what calling it takes. */
export interface KnownTool {
  readonly tool: Tool;
  /** Absent for nearly all tools. */
  readonly mirror: Mirror | undefined;
  /** Checks results, once it has been prepared. */
  checkOutput: OutputCheck | undefined;
}

/** How many tools of one server are kept in mind, and how many bytes of them; others are called without headers and checks. */
const MAX_TOOLS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A tool that is kept, and how much room it takes. */
interface Kept extends KnownTool {
  readonly bytes: number;
}

/** What the lists of a server have told about its tools. */
export class ToolCatalog {
  /** Grows whenever everything is forgotten. */
  generation = 0;
  readonly #known = new Map<string | undefined, Kept>();
  #bytes = 0;
  readonly #warnings = new Set<string>();
  readonly #diagnose: DiagnosticListener;

  constructor(diagnose: DiagnosticListener) {
    this.#diagnose = diagnose;
  }

  /** What is known of a tool; of no tool, nothing. */
  get(name: string | undefined): KnownTool | undefined {
    return this.#known.get(name);
  }

  /**
   * Takes note of a page of tools and returns those that can be called. Over HTTP, where `readMirror` is given, a tool whose
   * `x-mcp-header` annotations break the rules cannot: it is left out, and the others stay usable.
   */
  learn(tools: readonly Tool[], readMirror: ((tool: Tool) => Mirror | undefined) | undefined): readonly Tool[] {
    return tools.filter((tool) => {
      try {
        if (!isObject(tool.inputSchema)) throw new TypeError("its `inputSchema` is no object.");
        this.#note(tool, readMirror?.(tool));
        return true;
      } catch (error) {
        const message = `The tool ${quoteWords(tool.name)} cannot be called and is hidden: ${(error as Error).message}`;
        this.#warn(message, error);
        this.#drop(tool.name);
        return false;
      }
    });
  }

  /** The tools have changed: what was known about them may be wrong. */
  forget(): void {
    this.generation++;
    this.#known.clear();
    this.#bytes = 0;
  }

  /** Lists are fetched again and again; what is wrong with them is said once. */
  #warn(message: string, error?: unknown): void {
    if (this.#warnings.has(message) || this.#warnings.size > MAX_TOOLS) return;
    this.#warnings.add(message);
    this.#diagnose({ level: "warning", message, error });
  }

  #note(tool: Tool, mirror: Mirror | undefined): void {
    const before = this.#known.get(tool.name);
    // The same schema object comes back from caches; what was prepared for it is still good.
    const checkOutput = before?.tool.outputSchema === tool.outputSchema ? before?.checkOutput : undefined;
    this.#drop(tool.name);
    const room = MAX_BYTES - this.#bytes;
    const bytes = before?.tool === tool ? before.bytes : weigh(tool, room);
    if (bytes > room || this.#known.size >= MAX_TOOLS) {
      this.#warn(
        "The tools of this server are too many or too large to be remembered: some are called without checks.",
      );
      return;
    }
    this.#bytes += bytes;
    this.#known.set(tool.name, { tool, mirror, checkOutput, bytes });
  }

  #drop(name: string): void {
    this.#bytes -= this.#known.get(name)?.bytes ?? 0;
    this.#known.delete(name);
  }
}
