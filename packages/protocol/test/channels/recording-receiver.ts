import type { ChannelReceiver, MalformedMessage, Message } from "../../src/index.ts";

/** A receiver that writes down what it hears, and lets a test wait for it. */
export class RecordingReceiver implements ChannelReceiver {
  readonly messages: Message[] = [];
  readonly batches: (readonly (Message | MalformedMessage)[])[] = [];
  readonly complaints: MalformedMessage[] = [];
  readonly endings: (Error | undefined)[] = [];
  /** How often it was told that nothing can be sent any more. */
  warnings = 0;
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  message(message: Message): void {
    this.messages.push(message);
    this.#look();
  }

  batch(items: readonly (Message | MalformedMessage)[]): void {
    this.batches.push(items);
    this.#look();
  }

  malformed(error: MalformedMessage): void {
    this.complaints.push(error);
    this.#look();
  }

  outputEnded(): void {
    this.warnings += 1;
  }

  closed(reason?: Error): void {
    this.endings.push(reason);
    this.#look();
  }

  /** Resolves as soon as the condition holds; it is looked at whenever something arrives. */
  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  #look(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet());
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}
