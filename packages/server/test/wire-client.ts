/**
 * A client that speaks plain JSON-RPC over a real socket: it does nothing on its own, so that tests see every message.
 * All that the server sends is recorded, and checked against the schemas of its revision.
 */
import {
  encodeMessage,
  MetaKey,
  parseMessage,
  RpcError,
  type ClientCapabilities,
  type LoggingLevel,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type Revision,
} from "@toolwire/protocol";
import { createLineDecoder } from "@toolwire/protocol/framing";
import type { Socket } from "node:net";
import { SOURCES } from "../../protocol/test/spec-data.ts";
import { serveChannel, type ServeChannelOptions, type ServedChannel } from "../src/bindings/channel/index.ts";
import type { Server } from "../src/index.ts";
import { openWire } from "./wire.ts";

/** Any object of JSON, for tests that look into it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on what they read.
export type Json = any;

export class WireClient {
  readonly served: ServedChannel;
  /** Everything that the server sent, in order. */
  readonly received: Message[] = [];
  /** Answers what a legacy server asks. */
  answer: (request: RequestMessage) => object | Promise<object> = () => {
    throw new RpcError(-32601, "This client answers nothing");
  };
  revision: Revision;
  readonly #socket: Socket;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #watchers: (() => void)[] = [];
  #complaint: Error | undefined;
  #lastId = 0;

  constructor(server: Server, revision: Revision, options?: ServeChannelOptions) {
    const wire = openWire();
    this.#socket = wire.client;
    this.revision = revision;
    this.served = serveChannel(server, wire.server, options);
    const decoder = createLineDecoder({
      line: (text) => {
        const read = JSON.parse(text) as Message | Message[];
        for (const message of Array.isArray(read) ? read : [read]) this.#take(parseMessage(JSON.stringify(message)));
      },
      error: (error) => {
        throw error;
      },
    });
    this.#socket.on("data", (chunk) => decoder.push(chunk));
    this.#socket.on("end", () => this.#socket.end());
    this.#socket.on("close", () => this.#wake());
  }

  /** Sends a request. Resolves to the result, rejects with the error, as they are on the wire. */
  request(method: string, params?: object): Promise<Json> {
    return this.start(method, params).response;
  }

  /** Sends a request, to be cancelled or watched. */
  start(method: string, params?: object, id: RequestId = ++this.#lastId): { id: RequestId; response: Promise<Json> } {
    const response = new Promise((resolve, reject) => this.#pending.set(id, { method, resolve, reject }));
    response.catch(() => undefined);
    this.send({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    return { id, response };
  }

  /** Sends a notification. */
  notify(method: string, params?: object): void {
    this.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  /** Sends any message. */
  send(message: Message): void {
    this.sendText(encodeMessage(message));
  }

  /** Sends a line, whatever is in it. */
  sendText(text: string): void {
    this.#socket.write(`${text}\n`);
  }

  /** Sends several messages as one array. */
  sendBatch(messages: readonly Message[]): void {
    this.sendText(JSON.stringify(messages));
  }

  /** The notifications of a method that have come. */
  notifications(method: string): Json[] {
    return this.received.filter((message) => "method" in message && message.method === method);
  }

  /** Waits for something to be true of what was received. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  /** Waits for a notification. */
  async notification(method: string, count = 1): Promise<Json> {
    await this.until(() => this.notifications(method).length >= count);
    return this.notifications(method)[count - 1];
  }

  /** Ends the connection from this side. */
  async disconnect(): Promise<void> {
    this.#socket.end();
    await this.served.closed;
  }

  #take(message: Message): void {
    this.received.push(message);
    if ("method" in message) this.#checkSent(message);
    if ("method" in message && "id" in message) void this.#respond(message);
    else if (!("method" in message)) this.#settle(message);
    this.#wake();
  }

  #settle(message: ResponseMessage): void {
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id as RequestId);
    if ("error" in message) {
      const { code, message: text, data } = message.error;
      this.#check(pending.method, this.revision === "2026-07-28" ? ERRORS.get(code) : undefined, message);
      pending.reject(this.#complaint ?? new RpcError(code, text, { data }));
      return;
    }
    const result = message.result as { resultType?: string };
    const { resultType = "complete" } = result;
    if (resultType === "input_required") this.#check(pending.method, "InputRequiredResult", result);
    // Those of extensions are not in the schemas.
    else if (resultType === "complete") this.#check(pending.method, RESULTS.get(pending.method), result);
    if (this.#complaint === undefined) pending.resolve(result);
    else pending.reject(this.#complaint);
  }

  async #respond(request: RequestMessage): Promise<void> {
    const { id } = request;
    try {
      this.send({ jsonrpc: "2.0", id, result: await this.answer(request) });
    } catch (error) {
      const { code, message } = error as RpcError;
      this.send({ jsonrpc: "2.0", id, error: { code, message } });
    }
  }

  /** Before 2025-11-25, the definitions of requests and notifications leave out the envelope. */
  #checkSent(message: NotificationMessage): void {
    const { method, params } = message;
    const bare = { method, ...(params !== undefined && { params }) };
    this.#check(method, SENT.get(method), this.revision < "2025-11-25" ? bare : message);
  }

  /** A message that breaks the schema fails the next answer, and so the test. */
  #check(method: string, definition: string | undefined, value: unknown): void {
    if (definition === undefined || this.#complaint !== undefined) return;
    for (const source of SOURCES) {
      if (source.lacks.has(definition)) continue;
      const complaint = source.complaintAbout(this.revision, definition, value);
      if (complaint === undefined) continue;
      this.#complaint = new Error(
        `${method} is no ${definition} of ${this.revision} by ${source.name}: ${complaint}\n${JSON.stringify(value)}`,
      );
    }
  }

  #wake(): void {
    for (const wake of this.#watchers.splice(0)) wake();
  }
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: object) => void;
  readonly reject: (error: Error) => void;
}

/** The definitions of what answers each method. */
const RESULTS = new Map([
  ["initialize", "InitializeResult"],
  ["server/discover", "DiscoverResult"],
  ["tools/list", "ListToolsResult"],
  ["tools/call", "CallToolResult"],
  ["resources/list", "ListResourcesResult"],
  ["resources/templates/list", "ListResourceTemplatesResult"],
  ["resources/read", "ReadResourceResult"],
  ["prompts/list", "ListPromptsResult"],
  ["prompts/get", "GetPromptResult"],
  ["completion/complete", "CompleteResult"],
  ["ping", "EmptyResult"],
  ["logging/setLevel", "EmptyResult"],
  ["resources/subscribe", "EmptyResult"],
  ["resources/unsubscribe", "EmptyResult"],
  ["subscriptions/listen", "SubscriptionsListenResult"],
]);

/** The definitions of errors with data (2026-07-28). */
const ERRORS = new Map([
  [-32021, "MissingRequiredClientCapabilityError"],
  [-32022, "UnsupportedProtocolVersionError"],
]);

/** The definitions of what servers send unasked. */
const SENT = new Map([
  ["elicitation/create", "ElicitRequest"],
  ["sampling/createMessage", "CreateMessageRequest"],
  ["roots/list", "ListRootsRequest"],
  ["notifications/progress", "ProgressNotification"],
  ["notifications/message", "LoggingMessageNotification"],
  ["notifications/cancelled", "CancelledNotification"],
  ["notifications/tools/list_changed", "ToolListChangedNotification"],
  ["notifications/prompts/list_changed", "PromptListChangedNotification"],
  ["notifications/resources/list_changed", "ResourceListChangedNotification"],
  ["notifications/resources/updated", "ResourceUpdatedNotification"],
  ["notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"],
]);

/** Settings of a modern client. */
export interface ModernSettings extends ServeChannelOptions {
  readonly capabilities?: ClientCapabilities;
  readonly logLevel?: LoggingLevel;
  readonly version?: string;
}

/** A client of the modern era: every request carries its `_meta`. */
export class ModernClient extends WireClient {
  readonly #settings: ModernSettings;

  constructor(server: Server, settings: ModernSettings = {}) {
    const { capabilities: _capabilities, logLevel: _logLevel, version: _version, ...options } = settings;
    super(server, "2026-07-28", options);
    this.#settings = settings;
  }

  /** The `_meta` of a request. */
  meta(extra: object = {}): object {
    const { capabilities = {}, logLevel, version = "2026-07-28" } = this.#settings;
    return {
      [MetaKey.ProtocolVersion]: version,
      [MetaKey.ClientInfo]: { name: "test", version: "1" },
      [MetaKey.ClientCapabilities]: capabilities,
      ...(logLevel !== undefined && { [MetaKey.LogLevel]: logLevel }),
      ...extra,
    };
  }

  override start(method: string, params: Json = {}, id?: RequestId): { id: RequestId; response: Promise<Json> } {
    return super.start(method, { ...params, _meta: this.meta(params._meta) }, id);
  }

  callTool(name: string, args?: object, extra: object = {}): Promise<Json> {
    return this.request("tools/call", { name, ...(args !== undefined && { arguments: args }), ...extra });
  }
}

/** Settings of a legacy client. */
export interface LegacySettings extends ServeChannelOptions {
  readonly revision?: Revision;
  readonly capabilities?: ClientCapabilities;
  readonly answer?: WireClient["answer"];
}

/** A client of the legacy era, after its handshake. */
export class LegacyClient extends WireClient {
  static async open(server: Server, settings: LegacySettings = {}): Promise<LegacyClient> {
    const { revision = "2025-11-25", capabilities = {}, answer, ...options } = settings;
    const client = new LegacyClient(server, revision, options);
    if (answer !== undefined) client.answer = answer;
    const clientInfo = { name: "test", version: "1" };
    const { protocolVersion } = await client.request("initialize", {
      protocolVersion: revision,
      clientInfo,
      capabilities,
    });
    client.revision = protocolVersion as Revision;
    client.notify("notifications/initialized");
    return client;
  }

  callTool(name: string, args?: object, extra: object = {}): Promise<Json> {
    return this.request("tools/call", { name, ...(args !== undefined && { arguments: args }), ...extra });
  }
}

/** A promise to be settled by hand. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function defer<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
