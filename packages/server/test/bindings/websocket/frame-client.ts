import type { Message } from "@toolwire/protocol";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { RawPeer } from "../../raw-peer.ts";

/** A connection that is spoken to frame by frame. */
export class FrameClient extends RawPeer {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];

  private constructor(socket: WebSocket) {
    super();
    this.socket = socket;
    socket.on("message", (data) => {
      this.messages.push(JSON.parse((data as Buffer).toString()) as Message);
      this.look();
    });
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
  }

  static async open(url: string, options: ClientOptions = {}, protocols: string[] = ["mcp"]): Promise<FrameClient> {
    const client = new FrameClient(new WebSocket(url, protocols, options));
    await once(client.socket, "open");
    return client;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
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
