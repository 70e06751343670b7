import type { Channel, ChannelReceiver, MalformedMessage, Message, Outgoing } from "../index.ts";
import { ContractViolation, describeError, expect, isPromise, type Watch } from "./contract.ts";
import { expectNumbers, findDifference, numberOf } from "./numbered.ts";

/** Which end of a connection. */
export type EndName = "client" | "server";

/** One end of the connection under test: sends through the channel, and records everything that the channel reports. */
export class ChannelEnd {
  readonly name: EndName;
  readonly messages: Message[] = [];
  /** The numbers of numbered messages, in the order in which they arrived. */
  readonly numbers: number[] = [];
  readonly malformed: MalformedMessage[] = [];
  /** The reasons that `closed` was called with: one, if the channel keeps its contract. */
  readonly endings: (Error | undefined)[] = [];
  /** Called inside the delivery of each message. */
  onMessage: (() => void) | undefined;
  inputEndings = 0;
  outputEndings = 0;
  readonly #channel: Channel;
  readonly #watch: Watch;
  /** Everything that was reported after `closed`, in words. */
  readonly #late: string[] = [];

  constructor(name: EndName, channel: Channel, watch: Watch) {
    this.name = name;
    this.#channel = channel;
    this.#watch = watch;
  }

  get isClosed(): boolean {
    return this.endings.length > 0;
  }

  /** Opens the channel. Only if `hearsInputEnd` is set, its receiver has the optional method `inputEnded`. */
  async open(hearsInputEnd: boolean): Promise<void> {
    const problem = `\`open\` of the ${this.name}'s channel did not settle in time.`;
    await this.#watch.settle(this.#channel.open(this.#createReceiver(hearsInputEnd)), problem);
  }

  /** Sends without waiting. Returns the promise of a channel that wants its sender to wait. */
  send(message: Outgoing): Promise<void> | undefined {
    try {
      const returned: unknown = this.#channel.send(message);
      if (!isPromise(returned)) return undefined;
      // A check that does not wait for it is not interested in its failure either.
      returned.then(undefined, () => {});
      return returned;
    } catch (error) {
      throw new ContractViolation(`\`send\` of the ${this.name}'s channel threw: ${describeError(error)}.`, {
        cause: error,
      });
    }
  }

  /** Sends messages one after the other, and waits where the channel asks for it. */
  async sendAll(messages: Iterable<Outgoing>): Promise<void> {
    for (const message of messages) {
      const pending = this.send(message);
      const problem = `\`send\` of the ${this.name}'s channel returned a promise that did not settle, although the peer reads.`;
      if (pending !== undefined) await this.#watch.settle(pending, problem);
    }
  }

  /** The error that `send` throws or rejects with; `undefined` if it takes the message. */
  async findSendError(message: Outgoing): Promise<unknown> {
    try {
      const pending: unknown = this.#channel.send(message);
      const problem = `\`send\` of the ${this.name}'s channel returned a promise that did not settle after the end.`;
      if (isPromise(pending)) await this.#watch.settle(pending, problem);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Closes the channel, and waits until that is done. */
  async close(): Promise<void> {
    await this.#watch.settle(this.#channel.close(), `\`close\` of the ${this.name}'s channel did not settle in time.`);
  }

  /** Closes the channel without looking at the outcome, to clean up after a check. */
  async abandon(): Promise<void> {
    await this.#channel.close();
  }

  /** Waits for messages of any kind, and compares them with those that were sent. */
  async receivesSame(messages: readonly Message[]): Promise<void> {
    const describe = (index: number): string =>
      `${JSON.stringify(messages[index])} was sent, and the ${this.name} received ${JSON.stringify(this.messages[index])}.`;
    const findDifferent = (): number =>
      this.messages.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(messages[index]));
    await this.#watch.until(
      () => this.messages.length >= messages.length || findDifferent() !== -1,
      () => `The ${this.name} received ${this.messages.length} of ${messages.length} messages, and no more came.`,
    );
    const different = findDifferent();
    expect(different === -1, describe(different));
  }

  /** Waits until `count` messages of any kind have arrived. */
  async receives(count: number): Promise<void> {
    const isMet = (): boolean => this.messages.length >= count;
    await this.#watch.until(
      isMet,
      () => `The ${this.name} received ${this.messages.length} of ${count} messages, and no more came.`,
    );
  }

  /** Waits for numbered messages from 1 to `sent`, and makes sure that they came once and in order. */
  async receivesNumbers(sent: number): Promise<void> {
    await this.#watch.until(
      () => this.numbers.length >= sent,
      () => findDifference(this.name, sent, this.numbers)!,
    );
    await this.#watch.quiet();
    expectNumbers(this.name, sent, this.numbers);
  }

  /** Waits until the channel has reported its end. */
  async ends(after: string): Promise<void> {
    await this.#watch.until(
      () => this.isClosed,
      () => `The ${this.name}'s receiver was not told of the end after ${after}: \`closed\` was never called.`,
    );
  }

  /** Checks the rules that hold whatever a check does. */
  expectOrder(): void {
    const [late] = this.#late;
    expect(late === undefined, `The ${this.name} received ${late} after \`closed\`: nothing is delivered after it.`);
    const { length } = this.endings;
    expect(length < 2, `The ${this.name}'s receiver was told of the end ${length} times: \`closed\` is called once.`);
    const again = "is called at most once";
    expect(this.inputEndings < 2, `\`inputEnded\` of the ${this.name}'s receiver was called twice: it ${again}.`);
    expect(this.outputEndings < 2, `\`outputEnded\` of the ${this.name}'s receiver was called twice: it ${again}.`);
  }

  #createReceiver(hearsInputEnd: boolean): ChannelReceiver {
    return {
      message: (message) => {
        const number = numberOf(message);
        this.#record(number === undefined ? "a message" : `message ${number}`, () => {
          this.messages.push(message);
          if (number !== undefined) this.numbers.push(number);
          this.onMessage?.();
        });
      },
      batch: () => this.#record("a batch", () => {}),
      malformed: (error) => this.#record("a malformed message", () => this.malformed.push(error)),
      outputEnded: () => this.#record("`outputEnded`", () => this.outputEndings++),
      ...(hearsInputEnd && { inputEnded: () => this.#record("`inputEnded`", () => this.inputEndings++) }),
      closed: (reason) => {
        this.endings.push(reason);
        this.#watch.changed();
      },
    };
  }

  #record(event: string, record: () => void): void {
    if (this.isClosed) this.#late.push(event);
    record();
    this.#watch.changed();
  }
}
