import { request, type IncomingMessage } from "node:http";

/** A message of the protocol, as a test reads it. */
export interface WireMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly message: string };
}

/**
 * A caller of 2025-11-25 in one session, who sends every message over a connection of its own to whichever gateway the test names, as
 * through a balancer without sticky routing.
 */
export class LegacyCaller {
  readonly #slug: string;
  readonly #headers: Record<string, string>;
  #session: string | undefined;
  #lastId = 0;

  private constructor(slug: string, key: string | undefined) {
    this.#slug = slug;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** Opens a session at a gateway. */
  static async open(gateway: string, slug: string, key?: string): Promise<LegacyCaller> {
    const caller = new LegacyCaller(slug, key);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "test", version: "1" },
    };
    const response = await caller.#send(gateway, "POST", caller.#request("initialize", params));
    await readAll(response);
    caller.#session = String(response.headers["mcp-session-id"]);
    await readAll(await caller.#send(gateway, "POST", { jsonrpc: "2.0", method: "notifications/initialized" }));
    return caller;
  }

  /** Somebody else who has got hold of the id of the session. */
  impersonate(slug: string, key?: string): LegacyCaller {
    const other = new LegacyCaller(slug, key);
    other.#session = this.#session;
    return other;
  }

  /** Calls a tool at a gateway and returns its text. */
  async call(gateway: string, name: string, args: object = {}): Promise<string> {
    const events = this.begin(gateway, name, args);
    for await (const message of events) {
      if (message.result !== undefined) return message.result.content?.[0]?.text ?? "";
      if (message.error !== undefined) throw new Error(message.error.message);
    }
    throw new Error("The response ended without an answer.");
  }

  /** Calls a tool, and yields what comes back: questions, notifications, the answer. */
  async *begin(gateway: string, name: string, args: object = {}): AsyncGenerator<WireMessage> {
    yield* readMessages(await this.#send(gateway, "POST", this.#request("tools/call", { name, arguments: args })));
  }

  /** Answers a question of a server. */
  async answer(gateway: string, id: string | number, content: object): Promise<void> {
    const result = { action: "accept", content };
    await readAll(await this.#send(gateway, "POST", { jsonrpc: "2.0", id, result }));
  }

  /** Opens the stream of what belongs to no request, and yields what comes. `end` closes it. */
  async listen(gateway: string): Promise<{ readonly messages: AsyncGenerator<WireMessage>; readonly end: () => void }> {
    const response = await this.#send(gateway, "GET", undefined);
    return { messages: readMessages(response), end: () => void response.destroy() };
  }

  #request(method: string, params: object): object {
    this.#lastId += 1;
    return { jsonrpc: "2.0", id: this.#lastId, method, params };
  }

  #send(gateway: string, method: string, message: object | undefined): Promise<IncomingMessage> {
    const headers = {
      ...this.#headers,
      accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(message !== undefined && { "content-type": "application/json" }),
      ...(this.#session !== undefined && {
        "mcp-session-id": this.#session,
        "mcp-protocol-version": "2025-11-25",
      }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${gateway}/mcp/${this.#slug}`, { method, agent: false, headers }, (response) => {
        const { statusCode = 0 } = response;
        if (statusCode < 300) resolve(response);
        else readAll(response).then((text) => reject(new Error(`${statusCode} ${text}`)), reject);
      });
      sent.on("error", reject);
      sent.end(message === undefined ? undefined : JSON.stringify(message));
    });
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

/** The messages of a response, be it JSON or events. */
async function* readMessages(response: IncomingMessage): AsyncGenerator<WireMessage> {
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  if (!isStream) {
    yield JSON.parse(await readAll(response)) as WireMessage;
    return;
  }
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += String(chunk);
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = text
        .slice(0, end)
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5))
        .join("\n");
      text = text.slice(end + 2);
      if (data.trim() !== "") yield JSON.parse(data) as WireMessage;
    }
  }
}
