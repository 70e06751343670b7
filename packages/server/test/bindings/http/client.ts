import { createEventDecoder, type ServerSentEvent } from "@toolwire/protocol/framing";
import { equal, ok } from "node:assert/strict";
import type { Target } from "./platforms.ts";

export const MODERN = "2026-07-28";
export const BOTH = "application/json, text/event-stream";

/** A JSON-RPC message as a test sees it. */
export interface Seen {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export interface Extra {
  readonly id?: string | number;
  /** Replaces or, with `undefined`, removes headers. */
  readonly headers?: Record<string, string | undefined>;
  readonly meta?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** A request as a well-behaved client of 2026-07-28 sends it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  extra: Extra = {},
): RequestInit & { body: string } {
  const { id = 1, headers = {}, meta = {}, signal } = extra;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/logLevel": "info",
    ...meta,
  };
  const name = params["name"] ?? params["uri"];
  return {
    ...post(
      { jsonrpc: "2.0", id, method, params: { ...params, _meta } },
      {
        accept: BOTH,
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        "mcp-name": typeof name === "string" ? name : undefined,
        ...headers,
      },
    ),
    ...(signal !== undefined && { signal }),
  };
}

/** A POST of any JSON value. */
export function post(body: unknown, headers: Record<string, string | undefined> = {}): RequestInit & { body: string } {
  const fields = Object.entries({ "content-type": "application/json", ...headers });
  return {
    method: "POST",
    headers: fields.filter((field): field is [string, string] => field[1] !== undefined),
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** The message in a JSON answer. */
export async function readJson(response: Response): Promise<Seen> {
  equal(response.headers.get("content-type"), "application/json");
  return (await response.json()) as Seen;
}

/** A client of the legacy era. */
export class LegacyClient {
  readonly #target: Target;
  readonly session: string;
  readonly revision: string;

  private constructor(target: Target, session: string, revision: string) {
    this.#target = target;
    this.session = session;
    this.revision = revision;
  }

  static async open(
    target: Target,
    revision = "2025-11-25",
    headers: Record<string, string> = {},
  ): Promise<LegacyClient> {
    const response = await target.send(post(initialize(revision), { accept: BOTH, ...headers }));
    equal(response.status, 200);
    const session = response.headers.get("mcp-session-id");
    ok(session !== null, "There is no session id.");
    await response.text();
    const client = new LegacyClient(target, session, revision);
    const accepted = await client.send({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
    equal(accepted.status, 202);
    return client;
  }

  get headers(): Record<string, string> {
    return { accept: BOTH, "mcp-session-id": this.session, "mcp-protocol-version": this.revision };
  }

  /** Posts a message. */
  send(message: unknown, headers: Record<string, string | undefined> = {}, signal?: AbortSignal): Promise<Response> {
    return this.#target.send({ ...post(message, { ...this.headers, ...headers }), ...(signal && { signal }) });
  }

  /** Posts a request. */
  request(method: string, params: object = {}, id: string | number = 2): Promise<Response> {
    return this.send({ jsonrpc: "2.0", id, method, params });
  }

  call(name: string, args: object = {}, id: string | number = 2): Promise<Response> {
    return this.request("tools/call", { name, arguments: args }, id);
  }

  /** Opens or resumes a stream. */
  get(lastEventId?: string, signal?: AbortSignal): Promise<Response> {
    const headers = { ...this.headers, accept: "text/event-stream" };
    return this.#target.send({
      headers: lastEventId === undefined ? headers : { ...headers, "last-event-id": lastEventId },
      ...(signal && { signal }),
    });
  }

  delete(): Promise<Response> {
    return this.#target.send({ method: "DELETE", headers: this.headers });
  }
}

export function initialize(
  revision = "2025-11-25",
  capabilities: object = { elicitation: {}, sampling: {}, roots: {} },
): object {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: "test", version: "1" } };
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

/** An event, with its message if it has one. */
export interface SeenEvent extends ServerSentEvent {
  readonly message?: Seen;
}

/** Reads an event stream piece by piece. */
export class Events {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #queue: SeenEvent[] = [];
  readonly #decoder;
  /** The text of all that has come. */
  text = "";
  retry: number | undefined;

  constructor(response: Response) {
    equal(response.status, 200);
    equal(response.headers.get("content-type"), "text/event-stream");
    this.#reader = response.body!.getReader();
    this.#decoder = createEventDecoder({
      event: (event) =>
        this.#queue.push(
          event.data === "" || event.event === "endpoint"
            ? event
            : { ...event, message: JSON.parse(event.data) as Seen },
        ),
      retry: (ms) => {
        this.retry = ms;
      },
      error: (error) => {
        throw error;
      },
    });
  }

  /** The next event; `undefined` at the end of the stream. */
  async next(): Promise<SeenEvent | undefined> {
    while (this.#queue.length === 0 && (await this.#pull()));
    return this.#queue.shift();
  }

  /** The next message. */
  async message(): Promise<Seen | undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.message !== undefined) return event.message;
    }
    return undefined;
  }

  /** All messages up to the end of the stream. */
  async rest(): Promise<Seen[]> {
    const messages: Seen[] = [];
    for (let message = await this.message(); message !== undefined; message = await this.message()) {
      messages.push(message);
    }
    return messages;
  }

  /** Waits until the text of the stream contains this. */
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) if (!(await this.#pull())) throw new Error(`The stream ended without ${part}.`);
  }

  /** Closes the stream, as a client does that is no longer interested. */
  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    this.text += new TextDecoder().decode(value);
    this.#decoder.push(value);
    return true;
  }
}

/** A promise that is settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
