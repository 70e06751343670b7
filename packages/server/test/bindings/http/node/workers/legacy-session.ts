import { request, type IncomingMessage } from "node:http";

/** A session of a client of 2025-11-25. Every message has a connection of its own, so that any worker may get it. */
export class LegacySession {
  readonly #url: string;
  readonly #id: string;
  #lastId = 1;

  private constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
  }

  static async open(url: string): Promise<LegacySession> {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "test", version: "1" },
    };
    const response = await send(url, "POST", {}, { jsonrpc: "2.0", id: 1, method: "initialize", params });
    await read(response);
    const session = new LegacySession(url, String(response.headers["mcp-session-id"]));
    await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return session;
  }

  /** Sends a message and returns all of the response. */
  async post(message: object): Promise<string> {
    return read(await this.send("POST", message));
  }

  send(method: string, message?: object): Promise<IncomingMessage> {
    return send(this.#url, method, { "mcp-session-id": this.#id, "mcp-protocol-version": "2025-11-25" }, message);
  }

  call(name: string): object {
    this.#lastId += 1;
    return { jsonrpc: "2.0", id: this.#lastId, method: "tools/call", params: { name, arguments: {} } };
  }

  /** Calls a tool and returns its text. */
  async callTool(name: string): Promise<string> {
    const text = await this.post(this.call(name));
    const response = JSON.parse(text) as {
      readonly result: { readonly content: readonly { readonly text: string }[] };
    };
    return response.result.content[0]?.text ?? "";
  }
}

function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  message?: object,
): Promise<IncomingMessage> {
  const accept = method === "GET" ? "text/event-stream" : "application/json, text/event-stream";
  const all = { ...headers, accept, ...(message !== undefined && { "content-type": "application/json" }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, headers: all }, resolve);
    sent.on("error", reject);
    sent.end(message === undefined ? undefined : JSON.stringify(message));
  });
}

/** Reads a response to its end. Rejects if it is not a good one. */
export async function read(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  const { statusCode = 0 } = response;
  if (statusCode >= 300) throw new Error(`${statusCode} ${text}`);
  return text;
}
