import type { Message, RequestId } from "@toolwire/protocol";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";

/** The `_meta` of every request in the modern era. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The frame that calls a tool in the modern era. */
export function callFrame(id: RequestId, name: string, args: object = {}): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: MODERN_META },
  });
}

/** A connection that is spoken to frame by frame, without any of the SDK in between. */
export class FrameClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.messages.push(JSON.parse((data as Buffer).toString()) as Message);
      const met = this.#waiting.filter(({ isMet }) => isMet());
      this.#waiting = this.#waiting.filter((each) => !met.includes(each));
      for (const { resolve } of met) resolve();
    });
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
  }

  static async open(url: string, options: ClientOptions = {}, protocols: string[] = ["mcp"]): Promise<FrameClient> {
    const client = new FrameClient(new WebSocket(url, protocols, options));
    await once(client.socket, "open");
    return client;
  }

  call(id: RequestId, name: string, args: object = {}): void {
    this.socket.send(callFrame(id, name, args));
  }

  /** Waits for the response to a request. */
  async response(id: RequestId | undefined): Promise<Extract<Message, { result: object } | { error: object }>> {
    const find = (): Message | undefined => this.messages.find((each) => !("method" in each) && each.id === id);
    await this.until(() => find() !== undefined);
    return find() as Extract<Message, { result: object } | { error: object }>;
  }

  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  /** Waits for the end of the connection; resolves to its close code. */
  async closed(): Promise<number> {
    const [code] = (await once(this.socket, "close")) as [number];
    return code;
  }
}

/** Tries to connect, and tells with which HTTP answer that was refused. */
export async function refusal(
  url: string,
  options: ClientOptions = {},
  protocols: string[] = ["mcp"],
): Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  const socket = new WebSocket(url, protocols, options);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += String(part);
  return { status: response.statusCode ?? 0, text, headers: response.headers };
}

/** The text of a tool's result. */
export function textOf(response: object): string {
  const { result } = response as { result: { content: { text: string }[] } };
  return result.content.map(({ text }) => text).join("");
}
