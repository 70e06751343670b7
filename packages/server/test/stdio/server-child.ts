import type { Message, RequestId } from "@toolwire/protocol";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { onTestFinished } from "vitest";

/** The `_meta` of every request in the modern era. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** A server process that is spoken to line by line, without any of the SDK in between. */
export class ServerChild {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line the server has written to stdout. */
  readonly lines: string[] = [];
  stderr = "";
  readonly #reader: Interface;
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(command, args, { stdio: "pipe", env: { ...process.env, ...env } });
    this.process.stdin.on("error", () => {});
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#look();
    });
    this.#reader = createInterface({ input: this.process.stdout });
    this.#reader.on("line", (line) => {
      this.lines.push(line);
      this.#look();
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  /** What the server has written, as JSON. Throws if any line is not. */
  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line) as Message);
  }

  write(text: string | Uint8Array): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Calls a tool in the modern era. */
  call(id: RequestId, name: string, args: object = {}): void {
    this.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: MODERN_META } });
  }

  /** Waits for the response to a request. */
  async response(id: RequestId | undefined): Promise<Extract<Message, { result: object } | { error: object }>> {
    const find = (): Message | undefined => this.messages.find((each) => !("method" in each) && each.id === id);
    await this.until(() => find() !== undefined);
    return find() as Extract<Message, { result: object } | { error: object }>;
  }

  /** Resolves as soon as the condition holds; it is looked at whenever the server writes something. */
  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  /** Waits for the process to end; resolves to its exit code, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    const { process: child } = this;
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    return child.exitCode ?? child.signalCode;
  }

  #look(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet());
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}

/** The text of a tool's result. */
export function textOf(response: object): string {
  const { result } = response as { result: { content: { text: string }[] } };
  return result.content.map(({ text }) => text).join("");
}
