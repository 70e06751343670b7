import type { Link } from "../src/client/client.ts";

/** A client whose replies a test decides. */
export class FakeLink implements Link {
  readonly sent: (readonly string[])[] = [];
  readonly duplicates: FakeLink[] = [];
  isDestroyed = false;
  /** Replies to a command, or throws. A promise that never settles is a connection that swallows everything. */
  reply: (command: readonly string[]) => unknown;

  constructor(reply: (command: readonly string[]) => unknown = () => "OK") {
    this.reply = reply;
  }

  async open(): Promise<void> {}

  async send(_key: string, command: readonly string[]): Promise<unknown> {
    this.sent.push(command);
    return this.reply(command);
  }

  async subscribe(): Promise<void> {}

  onReady(): () => void {
    return () => {};
  }

  duplicate(): Link {
    const next = new FakeLink();
    this.duplicates.push(next);
    return next;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  letGo(): void {}
}

/** What a client rejects with when its connection breaks, and when the engine refuses a command. */
export const BROKEN: Error = Object.assign(new Error("Socket closed unexpectedly"), { code: "ECONNRESET" });
export function refusal(text: string): Error {
  return Object.assign(new Error(text), { command: { name: "evalsha", args: ["secret"] } });
}
