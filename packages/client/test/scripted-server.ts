import {
  createMemoryChannels,
  RpcError,
  toErrorResponse,
  type Channel,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";

/** Answers one method. Throw an `RpcError` to refuse, return `SILENCE` to say nothing. */
type Answer = (params: Fields, request: RequestMessage, server: ScriptedServer) => object | Promise<object>;
export type Script = { readonly [method: string]: Answer | object };
export type Fields = { readonly [key: string]: unknown; readonly _meta?: Record<string, unknown> };

/** The answer of a method that does not answer. */
export const SILENCE: object = {};

/** A server that is nothing but a script and a memory of what it was sent, so that tests see every message. */
export interface ScriptedServer {
  /** The client's end. */
  readonly channel: Channel;
  readonly received: readonly Message[];
  /** All requests of a method so far. */
  requests(method: string): RequestMessage[];
  notifications(method: string): NotificationMessage[];
  notify(method: string, params?: object): void;
  /** Sends a request to the client, as legacy servers may. */
  push(method: string, params?: object): Promise<ResponseMessage>;
  send(message: Message): void;
  /** Resolves when a message that fits has come, or has come before. */
  arrival(fits: (message: Message) => boolean): Promise<Message>;
  close(): Promise<void>;
  /** Ends the client's side as a broken pipe would. */
  break(reason?: Error): void;
}

export function scriptedServer(script: Script): ScriptedServer {
  const [near, far] = createMemoryChannels();
  const received: Message[] = [];
  const waiting: { fits: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  const pushed = new Map<RequestId, (message: ResponseMessage) => void>();
  let lastPush = 0;
  let breakNear: ((reason?: Error) => void) | undefined;

  const server: ScriptedServer = {
    channel: {
      open(receiver) {
        let isOver = false;
        const closed = (reason?: Error): void => {
          if (isOver) return;
          isOver = true;
          receiver.closed(reason);
        };
        breakNear = (reason) => {
          closed(reason);
          void near.close();
        };
        return near.open({
          message: (message) => receiver.message(message),
          batch: (items) => receiver.batch(items),
          malformed: (error) => receiver.malformed(error),
          closed,
        });
      },
      send: (message) => near.send(message),
      close: () => near.close(),
    },
    received,
    requests: (method) =>
      received.filter((item): item is RequestMessage => "method" in item && "id" in item && item.method === method),
    notifications: (method) =>
      received.filter(
        (item): item is NotificationMessage => "method" in item && !("id" in item) && item.method === method,
      ),
    notify: (method, params) => void far.send({ jsonrpc: "2.0", method, ...(params && { params }) }),
    push(method, params) {
      const id = `push-${++lastPush}`;
      const response = new Promise<ResponseMessage>((resolve) => pushed.set(id, resolve));
      void far.send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
      return response;
    },
    send: (message) => void far.send(message),
    arrival(fits) {
      const past = received.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => waiting.push({ fits, resolve }));
    },
    close: () => far.close(),
    break: (reason) => breakNear?.(reason),
  };

  function trySend(message: Message): void {
    try {
      void far.send(message);
    } catch {
      // The client has left.
    }
  }

  async function answer(request: RequestMessage): Promise<void> {
    const { id, method, params } = request;
    try {
      const entry = Object.hasOwn(script, method) ? script[method] : undefined;
      if (entry === undefined) throw new RpcError(-32601, `Method not found: ${method}`);
      const result =
        typeof entry === "function" ? await (entry as Answer)((params ?? {}) as Fields, request, server) : entry;
      if (result !== SILENCE) trySend({ jsonrpc: "2.0", id, result });
    } catch (error) {
      trySend(toErrorResponse(id, error));
    }
  }

  void far.open({
    message(message) {
      received.push(message);
      for (const item of waiting.filter(({ fits }) => fits(message))) {
        waiting.splice(waiting.indexOf(item), 1);
        item.resolve(message);
      }
      if (!("method" in message)) {
        if (message.id !== undefined) pushed.get(message.id)?.(message);
      } else if ("id" in message) void answer(message);
    },
    batch: (items) => void received.push(...(items as readonly Message[])),
    malformed() {},
    closed() {},
  });
  return server;
}

/** The capabilities of a server that has everything. */
export const EVERYTHING = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** A server of 2026-07-28. */
export function modernServer(script: Script = {}): ScriptedServer {
  return scriptedServer({
    "server/discover": {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: EVERYTHING,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "1.0.0" } },
    },
    ...script,
  });
}

/** A server of an older revision; it knows nothing of `server/discover`. */
export function legacyServer(script: Script = {}, revision = "2025-11-25"): ScriptedServer {
  return scriptedServer({
    initialize: {
      protocolVersion: revision,
      capabilities: EVERYTHING,
      serverInfo: { name: "legacy", version: "1.0.0" },
    },
    ping: {},
    ...script,
  });
}

/** Whether a message is a request or notification of a method. */
export function isCall(method: string): (message: Message) => boolean {
  return (message) => "method" in message && message.method === method;
}
