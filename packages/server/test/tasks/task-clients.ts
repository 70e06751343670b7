/** Clients that do nothing on their own, over a channel and over HTTP. */
import { type ClientCapabilities, MetaKey, RpcError } from "@toolwire/protocol";
import { serveHttp } from "../../src/http.ts";
import type { ServerAuth } from "../../src/http.ts";
import type { Server } from "../../src/index.ts";
import { BOTH, Events, initialize, modern, post, type Seen } from "../bindings/http/client.ts";
import { type Json, LegacyClient, ModernClient } from "../wire-client.ts";
import { DECLARED, PLAIN } from "./task-server.ts";

export type { Json } from "../wire-client.ts";

/** Who a client is, and what it can do. */
export interface ClientSettings {
  readonly capabilities?: ClientCapabilities;
  /** The token of an authenticated caller; over HTTP only. */
  readonly token?: string;
  /** Answers what a server of 2025-11-25 asks. */
  readonly answer?: (request: Json) => Json;
}

/** One client. */
export interface TaskClient {
  /** Resolves to the result, rejects with the error as an `RpcError`. */
  request(method: string, params?: object): Promise<Json>;
  /** Everything that the server has sent but responses. */
  readonly sent: Json[];
}

/** A server that is being served. */
export interface Served {
  /** A client of 2026-07-28 that declares tasks, unless it is told otherwise. */
  declaring(settings?: ClientSettings): TaskClient;
  /** A client of 2025-11-25. */
  legacy(settings?: ClientSettings): Promise<TaskClient>;
  close(): Promise<void>;
}

/** A way to serve a server. */
export interface Binding {
  readonly name: string;
  serve(server: Server, auth?: ServerAuth): Promise<Served>;
}

const overChannel: Binding = {
  name: "a channel",
  async serve(server) {
    const clients: { disconnect(): Promise<void> }[] = [];
    // Extensions end with the last connection: this one stays open.
    clients.push(new ModernClient(server));
    return {
      declaring({ capabilities = DECLARED } = {}) {
        const client = new ModernClient(server, { capabilities });
        clients.push(client);
        return withSent(client);
      },
      async legacy({ capabilities = PLAIN, answer } = {}) {
        const client = await LegacyClient.open(server, { capabilities, ...(answer && { answer }) });
        clients.push(client);
        return withSent(client);
      },
      async close() {
        await Promise.all(clients.map((client) => client.disconnect()));
      },
    };
  },
};

function withSent(client: ModernClient | LegacyClient): TaskClient {
  return {
    request: (method, params) => client.request(method, params),
    get sent(): Json[] {
      return client.received.filter((message) => "method" in message);
    },
  };
}

const overHttp: Binding = {
  name: "HTTP",
  async serve(server, auth) {
    const { url, close } = await serveHttp(server, { port: 0, ...(auth && { auth }) });
    return {
      declaring: (settings = {}) => new HttpClient(url, settings),
      async legacy(settings = {}) {
        const client = new LegacyHttpClient(url, settings);
        await client.open();
        return client;
      },
      close: () => close(),
    };
  },
};

export const BINDINGS: readonly Binding[] = [overChannel, overHttp];

/** HTTP alone, for what only authenticated callers can show. */
export const HTTP: Binding = overHttp;

/** Reads the answer to a request, as JSON or from a stream. */
async function readAnswer(response: Response, id: number, take: (message: Seen) => void): Promise<Json> {
  let message: Seen | undefined;
  if (response.headers.get("content-type") === "text/event-stream") {
    const events = new Events(response);
    message = await events.message();
    while (message !== undefined && !(message.id === id && message.method === undefined)) {
      take(message);
      message = await events.message();
    }
  } else message = (await response.json()) as Seen;
  const { error, result } = message ?? {};
  if (error !== undefined) throw new RpcError(error.code, error.message, { data: error.data });
  return result;
}

class HttpClient implements TaskClient {
  readonly sent: Json[] = [];
  readonly #url: string;
  readonly #settings: ClientSettings;
  #lastId = 0;

  constructor(url: string, settings: ClientSettings) {
    this.#url = url;
    this.#settings = settings;
  }

  async request(method: string, params: object = {}): Promise<Json> {
    const id = (this.#lastId += 1);
    const { capabilities = DECLARED, token } = this.#settings;
    const { name, taskId } = params as { name?: string; taskId?: string };
    const headers = { "mcp-name": taskId ?? name, authorization: token && `Bearer ${token}` };
    const meta = { [MetaKey.ClientCapabilities]: capabilities };
    const response = await fetch(this.#url, modern(method, params as Record<string, unknown>, { id, headers, meta }));
    return readAnswer(response, id, (message) => this.sent.push(message));
  }
}

class LegacyHttpClient implements TaskClient {
  readonly sent: Json[] = [];
  readonly #url: string;
  readonly #settings: ClientSettings;
  #headers: Record<string, string | undefined> = {};
  #lastId = 1;

  constructor(url: string, settings: ClientSettings) {
    this.#url = url;
    this.#settings = settings;
  }

  async open(): Promise<void> {
    const { token, capabilities = PLAIN } = this.#settings;
    const own = { accept: BOTH, authorization: token && `Bearer ${token}` };
    const response = await fetch(this.#url, post(initialize("2025-11-25", capabilities), own));
    await response.text();
    const session = response.headers.get("mcp-session-id") ?? undefined;
    this.#headers = { ...own, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async request(method: string, params: object = {}): Promise<Json> {
    const id = (this.#lastId += 1);
    const response = await this.#post({ jsonrpc: "2.0", id, method, params });
    return readAnswer(response, id, (message) => this.#take(message));
  }

  #take(message: Seen): void {
    this.sent.push(message);
    const { answer } = this.#settings;
    if (message.id === undefined || answer === undefined) return;
    const response = answerWith(answer, message);
    void this.#post({ jsonrpc: "2.0", id: message.id, ...response });
  }

  #post(message: object): Promise<Response> {
    return fetch(this.#url, post(message, this.#headers));
  }
}

function answerWith(answer: (request: Json) => Json, request: Json): object {
  try {
    return { result: answer(request) as object };
  } catch (error) {
    const { code, message } = error as RpcError;
    return { error: { code, message } };
  }
}

/** Calls a tool. */
export function callTool(client: TaskClient, name: string, args: object = {}, extra: object = {}): Promise<Json> {
  return client.request("tools/call", { name, arguments: args, ...extra });
}

/** Asks for a task again and again, until it is as it should be. */
export async function taskWhen(client: TaskClient, taskId: string, isMet: (task: Json) => boolean): Promise<Json> {
  for (;;) {
    const task: Json = await client.request("tasks/get", { taskId });
    if (isMet(task)) return task;
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** Waits for a task to have a status. */
export function taskIn(client: TaskClient, taskId: string, status: string): Promise<Json> {
  return taskWhen(client, taskId, (task) => (task as { status: string }).status === status);
}

/** The error that a request is refused with. */
export async function refusalOf(pending: Promise<unknown>): Promise<RpcError> {
  return pending.then(
    (value) => {
      throw new Error(`It was not refused, and returned ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error as RpcError,
  );
}
