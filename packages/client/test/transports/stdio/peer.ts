import type { Channel, NotificationMessage, ProtocolViolation } from "@toolwire/protocol";
import { Caller, Multiplexer } from "@toolwire/protocol/internal";
import { onTestFinished } from "vitest";

/** The `_meta` of every request in the modern era. */
const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Calls over a channel, and what else comes over it. Closed when the test ends. */
export class Peer {
  readonly caller: Caller;
  readonly multiplexer: Multiplexer;
  readonly notifications: NotificationMessage[] = [];
  readonly violations: ProtocolViolation[] = [];
  /** Resolves when the connection has ended, to the reason. */
  readonly closed: Promise<Error | undefined>;
  readonly opened: void | Promise<void>;

  constructor(channel: Channel) {
    this.multiplexer = new Multiplexer(channel);
    this.caller = new Caller(this.multiplexer);
    let end = (_reason: Error | undefined): void => {};
    this.closed = new Promise((resolve) => {
      end = resolve;
    });
    this.opened = this.multiplexer.open({
      notification: (message) => this.notifications.push(message),
      violation: (error) => this.violations.push(error),
      closed: (reason) => end(reason),
    });
    onTestFinished(() => this.multiplexer.close());
  }

  /** Opens a channel and waits until messages can be sent. */
  static async open(channel: Channel): Promise<Peer> {
    const peer = new Peer(channel);
    await peer.opened;
    return peer;
  }

  /** Calls a tool; resolves to the text of its result. */
  async callTool(name: string, args: object = {}, signal?: AbortSignal): Promise<string> {
    const params = { name, arguments: args, _meta: MODERN_META };
    const result = (await this.caller.call("tools/call", params, { signal })) as { content: { text: string }[] };
    return result.content.map(({ text }) => text).join("");
  }

  close(): Promise<void> {
    return this.multiplexer.close();
  }
}
