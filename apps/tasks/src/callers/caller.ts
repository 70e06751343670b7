import { MetaKey } from "@toolwire/protocol";

/** The extension that lets calls become tasks. */
const TASKS = "io.modelcontextprotocol/tasks";
const REVISION = "2026-07-28";

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 20_000;

const META = {
  [MetaKey.ProtocolVersion]: REVISION,
  [MetaKey.ClientInfo]: { name: "tasks-under-faults", version: "1.0.0" },
  [MetaKey.ClientCapabilities]: { elicitation: { form: {} }, extensions: { [TASKS]: {} } },
};

/** A task as `tasks/get` shows it. */
export interface SeenTask {
  readonly taskId: string;
  readonly status: string;
  readonly lastUpdatedAt?: string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly [member: string]: unknown;
}

/**
 * Sends requests of the extension for tasks, as any client may. Written down here rather than with a client library, so that a retry or a
 * cache of the library cannot hide what servers do.
 */
export class Caller {
  /** The addresses of the servers that run. */
  readonly #urls: () => readonly string[];
  #requests = 0;

  constructor(urls: () => readonly string[]) {
    this.#urls = urls;
  }

  /** Calls a tool. Resolves to the id of the task. Rejects if no server has answered: then there may be a task or not. */
  async call(name: string, given: object): Promise<string> {
    const { taskId } = await this.#request("tools/call", name, { name, arguments: given });
    if (typeof taskId !== "string") throw new Error("A call was answered without a task.");
    return taskId;
  }

  /** Asks for a task. */
  async get(taskId: string): Promise<SeenTask> {
    return (await this.#request("tasks/get", taskId, { taskId })) as SeenTask;
  }

  async #request(method: string, name: string, params: object): Promise<{ readonly [member: string]: unknown }> {
    const id = (this.#requests += 1);
    const urls = this.#urls();
    const url = urls[id % urls.length];
    if (url === undefined) throw new Error("No server runs.");
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { result, error } = (await response.json()) as { result?: object; error?: { code: number; message: string } };
    if (error !== undefined) throw new RefusedError(error.code, error.message);
    return { ...result };
  }
}

/** A server has answered with an error. */
export class RefusedError extends Error {
  override readonly name: string = "RefusedError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(`${code} ${message}`);
    this.code = code;
  }
}
