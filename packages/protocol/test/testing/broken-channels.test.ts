import { describe, expect, it, test } from "vitest";
import type { ChannelReceiver, Message, Outgoing } from "../../src/index.ts";
import { channelContract, ContractViolation, registerContract } from "../../src/testing/index.ts";
import { describePair, TextChannel } from "./text-channels.ts";

registerContract("A channel that keeps the contract", channelContract(describePair(TextChannel)), { describe, it });

/** Checks a class of channels by the rule that begins like this, and gives what was wrong. */
async function findViolation(End: typeof TextChannel, rule: string): Promise<unknown> {
  // A short limit: it is waited for only where something does not happen.
  const check = channelContract({ ...describePair(End), timeout: 1000 }).find(({ name }) => name.startsWith(rule));
  return check?.run().then(
    () => undefined,
    (error: unknown) => error,
  );
}

function numberOf(text: string): number {
  return Number(/"number":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

class Reordering extends TextChannel {
  protected override async read(): Promise<void> {
    this.queue.sort((a, b) => Number(numberOf(a) === 3) - Number(numberOf(b) === 3));
    await super.read();
  }
}

class Dropping extends TextChannel {
  override deliver(text: string): void {
    if (![4, 5].includes(numberOf(text))) super.deliver(text);
  }
}

class Doubling extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text);
    if (numberOf(text) === 2) super.deliver(text);
  }
}

class Truncating extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replace(/("text":".{1000}).{100000,}"/su, '$1"'));
  }
}

class MixingUpIds extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replace(/"id":"(\d+)"/, '"id":$1'));
  }
}

class SplittingLines extends TextChannel {
  override deliver(text: string): void {
    super.deliver(text.replaceAll(String.raw`\n`, " "));
  }
}

class LosingWhatWasQueued extends TextChannel {
  override async close(): Promise<void> {
    this.queue = [];
    await super.close();
  }
}

class NeverEnding extends TextChannel {
  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

class HangingAtClose extends TextChannel {
  override close(): Promise<void> {
    void super.close();
    return new Promise(() => {});
  }
}

class EndingTwice extends TextChannel {
  override async close(): Promise<void> {
    if (!this.isClosed) await super.close();
    this.receiver?.closed();
  }
}

class EndingWithAReason extends TextChannel {
  override open(receiver: ChannelReceiver): void {
    super.open({
      message: (message: Message) => receiver.message(message),
      batch: (items) => receiver.batch(items),
      malformed: (error) => receiver.malformed(error),
      closed: () => receiver.closed(new Error("the end of the stream")),
    });
  }
}

class DeliveringAfterTheEnd extends TextChannel {
  override deliver(text: string): void {
    setTimeout(() => {
      const { isClosed } = this;
      this.isClosed = false;
      super.deliver(text);
      this.isClosed ||= isClosed;
    }, 0);
  }
}

class SwallowingErrors extends TextChannel {
  override send(message: Outgoing): void | Promise<void> {
    try {
      return super.send(message);
    } catch {
      return undefined;
    }
  }
}

class SwallowingMalformedTexts extends TextChannel {
  override deliver(text: string): void {
    if (text.includes("jsonrpc")) super.deliver(text);
  }
}

class EndingAtMalformedTexts extends TextChannel {
  override deliver(text: string): void {
    if (text.includes("jsonrpc")) super.deliver(text);
    else void this.close();
  }
}

class EndingBeforeBackpressure extends TextChannel {
  override send(message: Outgoing): void {
    void super.send(message);
  }
}

class IgnoringBackpressure extends EndingBeforeBackpressure {
  protected override overflow(): void {}
}

class NeverDraining extends TextChannel {
  override send(message: Outgoing): void | Promise<void> {
    const pending = super.send(message);
    return pending === undefined ? undefined : new Promise(() => {});
  }
}

class QueueingWithoutEnd extends TextChannel {
  protected override overflow(): void {}
}

class EndingWithoutAReason extends TextChannel {
  protected override overflow(): void {
    void this.close();
  }
}

describe("The channel contract", () => {
  test.each<readonly [fault: string, End: typeof TextChannel, rule: string, words: string]>([
    [
      "reorders messages",
      Reordering,
      "Messages from the client arrive",
      "The server received message 4 before message 3: messages arrive in the order in which they were sent.",
    ],
    [
      "drops messages",
      Dropping,
      "Messages from the server arrive",
      "The client received 98 of 100 messages: 4 and 5 are missing.",
    ],
    [
      "delivers a message twice",
      Doubling,
      "Messages from the client arrive",
      "The server received message 2 twice, although it was sent once.",
    ],
    [
      "truncates large messages",
      Truncating,
      "A message of one megabyte",
      "The client sent a text of 458752 characters, and the server received 1",
    ],
    [
      "mixes up ids",
      MixingUpIds,
      "The ids 1",
      'A request with the id "1" arrived with the id 1: ids arrive as they were sent.',
    ],
    ["changes line breaks", SplittingLines, "Text arrives unchanged", String.raw`"text":"two lines"`],
    [
      "drops queued messages at the end",
      LosingWhatWasQueued,
      "Everything that the client sent",
      "The server received 0 of 100 messages: 1, 2, 3, 4, 5 and 95 more are missing.",
    ],
    [
      "never ends",
      NeverEnding,
      "Closing at the client",
      "The client's receiver was not told of the end after the client closed: `closed` was never called.",
    ],
    [
      "hangs at its end",
      HangingAtClose,
      "Closing at the server",
      "`close` of the server's channel did not settle in time.",
    ],
    ["ends twice", EndingTwice, "Closing twice", "times: `closed` is called once."],
    [
      "gives a reason for an end on purpose",
      EndingWithAReason,
      "Closing at the client",
      "The client closed on purpose, but `closed` of its receiver got a reason: Error: the end of the stream.",
    ],
    [
      "delivers messages after the end",
      DeliveringAfterTheEnd,
      "Nothing arrives at the client after",
      "after `closed`: nothing is delivered after it.",
    ],
    [
      "takes messages after the end",
      SwallowingErrors,
      "An end that is closed",
      "`send` of the client's channel took a message right after its `close` was called: it must throw a TransportError CLOSED.",
    ],
    [
      "takes messages that JSON cannot hold",
      SwallowingErrors,
      "A message that JSON cannot hold",
      "`send` took a BigInt, which JSON cannot hold: it must throw before anything is sent.",
    ],
    [
      "swallows malformed texts",
      SwallowingMalformedTexts,
      "Text that is not a message is reported to the server",
      "The server was not told of a text that is not a message (no JSON): `malformed` was not called.",
    ],
    [
      "ends at malformed texts",
      EndingAtMalformedTexts,
      "Text that is not a message is reported to the client",
      "A text that is not a message (no JSON) ended the connection.",
    ],
    [
      "ignores backpressure and queues everything",
      IgnoringBackpressure,
      "`send` asks a sender",
      "`send` took 4096 messages of 16384 bytes at once and never returned a promise",
    ],
    [
      "ends before it asks a sender to wait",
      EndingBeforeBackpressure,
      "`send` asks a sender",
      "The connection ended after 122 messages of 16384 bytes, before `send` had returned a promise",
    ],
    [
      "never takes more after backpressure",
      NeverDraining,
      "`send` asks a sender",
      "`send` returned a promise that did not settle, although the peer reads.",
    ],
    [
      "queues without end",
      QueueingWithoutEnd,
      "A connection whose peer does not read",
      "with a limit of 2000000: it must end the connection rather than use more memory.",
    ],
    [
      "ends without saying that too much was queued",
      EndingWithoutAReason,
      "A connection whose peer does not read",
      "Too much waited for the peer, but `closed` got no reason.",
    ],
  ])("says in words what is wrong with a channel that %s.", async (_fault, End, rule, words) => {
    const violation = await findViolation(End, rule);
    expect(violation).toBeInstanceOf(ContractViolation);
    expect(violation).toMatchObject({ code: "CONTRACT_VIOLATION", message: expect.stringContaining(words) });
  });

  test("leaves out the checks of what a transport does not offer.", () => {
    const { connect } = describePair(TextChannel);
    const all = channelContract(describePair(TextChannel)).map(({ name }) => name);
    const fewer = channelContract({ connect, backpressure: false, passesObjects: true }).map(({ name }) => name);
    expect(all.filter((name) => !fewer.includes(name))).toEqual([
      "A message that JSON cannot hold makes `send` throw, and the connection goes on without it.",
      "Text that is not a message is reported to the server as malformed, and the connection goes on.",
      "Text that is not a message is reported to the client as malformed, and the connection goes on.",
      "`send` asks a sender that is too fast to wait, by a promise that settles once the peer has read.",
      "A connection whose peer does not read ends with an error once more than `maxQueuedBytes` wait.",
    ]);
  });

  test("says so if no connection can be made.", async () => {
    const connect = (): Promise<never> => Promise.reject(new Error("no such file"));
    const [check] = channelContract({ connect });
    await expect(check?.run()).rejects.toThrow("no such file");
  });

  test("says so if the server's end never comes.", async () => {
    const connect = () => ({ client: new TextChannel("client"), server: new Promise<TextChannel>(() => {}) });
    const [check] = channelContract({ connect, timeout: 50 });
    await expect(check?.run()).rejects.toThrow("The server's end of the connection never came.");
  });
});
