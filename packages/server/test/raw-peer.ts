import type { Message, RequestId, ResponseMessage } from "@toolwire/protocol";

/** The `_meta` of every request in the modern era. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** A client without any of the SDK in it: tests say what is sent, and look at all that comes. */
export abstract class RawPeer {
  /** The messages that the server has sent so far. */
  abstract readonly messages: readonly Message[];
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  /** Sends a message, as it is. */
  abstract send(message: object): void;

  /** Calls a tool in the modern era. */
  call(id: RequestId, name: string, args: object = {}): void {
    this.send(toolCall(id, name, args));
  }

  /** Waits for the response to a request. */
  async response(id: RequestId | undefined): Promise<ResponseMessage> {
    const find = (): Message | undefined => this.messages.find((each) => !("method" in each) && each.id === id);
    await this.until(() => find() !== undefined);
    return find() as ResponseMessage;
  }

  /** Resolves as soon as the condition holds; it is looked at whenever the server sends something. */
  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  /** Something has come. */
  protected look(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet());
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}

/** The request that calls a tool in the modern era. */
export function toolCall(id: RequestId, name: string, args: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: MODERN_META } };
}

/** The text of a tool's result. */
export function textOf(response: object): string {
  const { result } = response as { result: { content: { text: string }[] } };
  return result.content.map(({ text }) => text).join("");
}
