import type { ListToolsResult, Tool } from "@toolwire/protocol";
import { writeParamHeaders, isObject, quoteWords, readParamHeaders } from "@toolwire/protocol/internal";
import { estimateBytes } from "../messages/json.ts";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { OutputCheck } from "./output.ts";

/**
 * Finds the arguments of a tool that headers have to repeat (2026-07-28, "Custom Headers from Tool Parameters"). Throws a
 * `UsageError` if its annotations break the rules.
 */
function findParamHeaders({ inputSchema }: Tool): ParamHeaders | undefined {
  const annotations = readParamHeaders(inputSchema);
  return annotations.length === 0 ? undefined : (args) => writeParamHeaders(annotations, args);
}

/**
 * Whether a page of tools mentions headers at all, so that most pages need no search of each schema. A page that is nested too
 * deeply to be written as JSON is searched.
 */
function mentionsHeaders(tools: readonly object[]): boolean {
  try {
    return JSON.stringify(tools).includes('"x-mcp-header"');
  } catch {
    return true;
  }
}

/** How many pages of tools are read at most. */
const MAX_PAGES = 100;

/**
 * Goes through the whole list of tools, one page after the other. `list` gets a page and learns its tools. A new agreement
 * may mean a new session.
 */
export async function readToolList(
  link: { readonly agreement: unknown },
  list: (params: object) => Promise<object>,
): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { agreement } = link;
    const params = cursor === undefined ? {} : { cursor };
    // A cursor is invalid in another session than its own: the list begins anew.
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

/** Makes the headers that repeat arguments of a call: `Mcp-Param-*`. */
export type ParamHeaders = (args: { readonly [argument: string]: unknown }) => Readonly<Record<string, string>>;

/** A tool as it was listed, with what is needed to call it. */
export interface KnownTool {
  readonly tool: Tool;
  /** Absent for nearly all tools. */
  readonly paramHeaders: ParamHeaders | undefined;
  /** Checks results, once it has been prepared. */
  checkOutput: OutputCheck | undefined;
}

/** How many tools of one server are kept, and how many bytes of them. Others are called without headers and checks. */
const MAX_TOOLS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A tool that is kept, and an estimate of its memory. */
interface Kept extends KnownTool {
  readonly bytes: number;
}

/** The tools that a server has listed. */
export class ToolCatalog {
  /** Counts how often everything was forgotten. */
  generation = 0;
  readonly #known = new Map<string | undefined, Kept>();
  #bytes = 0;
  readonly #warnings = new Set<string>();
  readonly #diagnose: DiagnosticListener;

  constructor(diagnose: DiagnosticListener) {
    this.#diagnose = diagnose;
  }

  /** Finds a tool by name. */
  get(name: string | undefined): KnownTool | undefined {
    return this.#known.get(name);
  }

  /**
   * Learns a page of tools and returns those that can be called. With `hasHeaders`, a tool whose `x-mcp-header` annotations
   * break the rules cannot be called: it is left out, and the others stay usable.
   */
  learn(tools: readonly Tool[], hasHeaders: boolean): readonly Tool[] {
    const readsHeaders = hasHeaders && mentionsHeaders(tools);
    return tools.filter((tool) => {
      try {
        if (!isObject(tool.inputSchema)) throw new TypeError("its `inputSchema` is no object.");
        this.#note(tool, readsHeaders ? findParamHeaders(tool) : undefined);
        return true;
      } catch (error) {
        const message = `The tool ${quoteWords(tool.name)} cannot be called and is hidden: ${(error as Error).message}`;
        this.#warn(message, error);
        this.#drop(tool.name);
        return false;
      }
    });
  }

  /** Forgets all tools, because they may have changed. */
  forget(): void {
    this.generation++;
    this.#known.clear();
    this.#bytes = 0;
  }

  /** Warns once: lists are fetched again and again. */
  #warn(message: string, error?: unknown): void {
    if (this.#warnings.has(message) || this.#warnings.size > MAX_TOOLS) return;
    this.#warnings.add(message);
    this.#diagnose({ level: "warning", message, error });
  }

  #note(tool: Tool, paramHeaders: ParamHeaders | undefined): void {
    const before = this.#known.get(tool.name);
    // The same schema object comes back from caches; its prepared check stays valid.
    const checkOutput = before?.tool.outputSchema === tool.outputSchema ? before?.checkOutput : undefined;
    this.#drop(tool.name);
    const room = MAX_BYTES - this.#bytes;
    const bytes = before?.tool === tool ? before.bytes : estimateBytes(tool, room);
    if (bytes > room || this.#known.size >= MAX_TOOLS) {
      this.#warn(
        "The tools of this server are too many or too large to be remembered: some are called without checks.",
      );
      return;
    }
    this.#bytes += bytes;
    this.#known.set(tool.name, { tool, paramHeaders, checkOutput, bytes });
  }

  #drop(name: string): void {
    this.#bytes -= this.#known.get(name)?.bytes ?? 0;
    this.#known.delete(name);
  }
}
