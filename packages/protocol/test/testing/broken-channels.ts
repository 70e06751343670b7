/** Channels that break the contract, each in one way. */
import { deliverText } from "../../src/channels/index.ts";
import type { ChannelReceiver, Message, Outgoing } from "../../src/index.ts";
import { TextChannel } from "./text-channels.ts";

function numberOf(text: string): number {
  return Number(/"number":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

export class Reordering extends TextChannel {
  protected override async read(): Promise<void> {
    this.queue.sort((a, b) => Number(numberOf(a) === 3) - Number(numberOf(b) === 3));
    await super.read();
  }
}

export class Dropping extends TextChannel {
  override deliver(text: string): void {
    if (![4, 5].includes(numberOf(text))) super.deliver(text);
  }
}

export class Doubling extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text);
    if (numberOf(text) === 2) super.deliver(text);
  }
}

export class Truncating extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replace(/("text":".{1000}).{100000,}"/su, '$1"'));
  }
}

export class MixingUpIds extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replace(/"id":"(\d+)"/, '"id":$1'));
  }
}

export class SplittingLines extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replaceAll(String.raw`\n`, " "));
  }
}

export class LosingWhatWasQueued extends TextChannel {
  override async close(): Promise<void> {
    this.queue = [];
    await super.close();
  }
}

export class NeverEnding extends TextChannel {
  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

export class HangingAtClose extends TextChannel {
  override close(): Promise<void> {
    void super.close();
    return new Promise(() => {});
  }
}

export class EndingTwice extends TextChannel {
  override async close(): Promise<void> {
    if (!this.isClosed) await super.close();
    this.receiver?.closed();
  }
}

export class EndingWithAReason extends TextChannel {
  override open(receiver: ChannelReceiver): void {
    super.open({
      message: (message: Message) => receiver.message(message),
      batch: (items) => receiver.batch(items),
      malformed: (error) => receiver.malformed(error),
      closed: () => receiver.closed(new Error("the end of the stream")),
    });
  }
}

export class DeliveringAfterTheEnd extends TextChannel {
  override deliver(text: string): void {
    setTimeout(() => {
      const { isClosed } = this;
      this.isClosed = false;
      super.deliver(text);
      this.isClosed ||= isClosed;
    }, 0);
  }
}

export class SwallowingErrors extends TextChannel {
  override send(message: Outgoing): void | Promise<void> {
    try {
      return super.send(message);
    } catch {
      return undefined;
    }
  }
}

export class SwallowingMalformedTexts extends TextChannel {
  override deliver(text: string): void {
    if (text.includes("jsonrpc")) super.deliver(text);
  }
}

export class EndingAtMalformedTexts extends TextChannel {
  override deliver(text: string): void {
    if (text.includes("jsonrpc")) super.deliver(text);
    else void this.close();
  }
}

export class EndingBeforeBackpressure extends TextChannel {
  override send(message: Outgoing): void {
    void super.send(message);
  }
}

export class IgnoringBackpressure extends EndingBeforeBackpressure {
  protected override overflow(): void {}
}

export class NeverDraining extends TextChannel {
  override send(message: Outgoing): void | Promise<void> {
    const pending = super.send(message);
    return pending === undefined ? undefined : new Promise(() => {});
  }
}

export class QueueingWithoutEnd extends TextChannel {
  protected override overflow(): void {}
}

export class DroppingLargeMessages extends TextChannel {
  protected override refuse(): void {}
}

export class IgnoringTheSizeLimit extends TextChannel {
  override deliver(text: string): void {
    if (!this.isClosed && this.receiver !== undefined) deliverText(text, this.receiver, this.side);
  }
}

export class EndingWithItsInput extends TextChannel {
  override endInput(): void {
    void this.close();
  }
}

export class IgnoringTheEndOfInput extends TextChannel {
  override endInput(): void {}
}

export class IgnoringABrokenConnection extends TextChannel {
  override break(): void {}
}

export class EndingWithoutAReason extends TextChannel {
  protected override overflow(): void {
    void this.close();
  }
}
