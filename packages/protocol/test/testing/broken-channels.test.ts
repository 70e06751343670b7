import { describe, expect, it, test } from "vitest";
import { channelContract, ContractViolation, registerContract } from "../../src/testing/index.ts";
import * as broken from "./broken-channels.ts";
import { describePair, TextChannel } from "./text-channels.ts";

registerContract(
  "A channel that keeps the contract",
  channelContract({ ...describePair(TextChannel), timeout: 20_000 }),
  { describe, it },
);

/** Checks a class of channels by the rule that begins like this, and gives what was wrong. */
async function findViolation(End: typeof TextChannel, rule: string): Promise<unknown> {
  // A short limit: it is waited for only where something does not happen.
  const check = channelContract({ ...describePair(End), timeout: 2000 }).find(({ name }) => name.startsWith(rule));
  return check?.run().then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("The channel contract", () => {
  test.concurrent.each<readonly [fault: string, End: typeof TextChannel, rule: string, words: string]>([
    [
      "reorders messages",
      broken.Reordering,
      "Messages from the client arrive",
      "The server received message 4 before message 3: messages arrive in the order in which they were sent.",
    ],
    [
      "drops messages",
      broken.Dropping,
      "Messages from the server arrive",
      "The client received 98 of 100 messages: 4 and 5 are missing.",
    ],
    [
      "delivers a message twice",
      broken.Doubling,
      "Messages from the client arrive",
      "The server received message 2 twice, although it was sent once.",
    ],
    [
      "truncates large messages",
      broken.Truncating,
      "A message of one megabyte",
      "The client sent a text of 458752 characters, and the server received 1",
    ],
    [
      "mixes up ids",
      broken.MixingUpIds,
      "The ids 1",
      'A request with the id "1" arrived with the id 1: ids arrive as they were sent.',
    ],
    ["changes line breaks", broken.SplittingLines, "Text arrives unchanged", String.raw`"text":"two lines"`],
    [
      "drops queued messages at the end",
      broken.LosingWhatWasQueued,
      "Everything that the client sent",
      "The server received 0 of 100 messages: 1, 2, 3, 4, 5 and 95 more are missing.",
    ],
    [
      "never ends",
      broken.NeverEnding,
      "Closing at the client",
      "The client's receiver was not told of the end after the client closed: `closed` was never called.",
    ],
    [
      "hangs at its end",
      broken.HangingAtClose,
      "Closing at the server",
      "`close` of the server's channel did not settle in time.",
    ],
    ["ends twice", broken.EndingTwice, "Closing twice", "times: `closed` is called once."],
    [
      "gives a reason for an end on purpose",
      broken.EndingWithAReason,
      "Closing at the client",
      "The client closed on purpose, but `closed` of its receiver got a reason: Error: the end of the stream.",
    ],
    [
      "delivers messages after the end",
      broken.DeliveringAfterTheEnd,
      "Nothing arrives at the client after",
      "after `closed`: nothing is delivered after it.",
    ],
    [
      "takes messages after the end",
      broken.SwallowingErrors,
      "An end that is closed",
      "`send` of the client's channel took a message right after its `close` was called: it must throw a TransportError CLOSED.",
    ],
    [
      "takes messages that JSON cannot hold",
      broken.SwallowingErrors,
      "A message that JSON cannot hold",
      "`send` took a BigInt, which JSON cannot hold: it must throw before anything is sent.",
    ],
    [
      "swallows malformed texts",
      broken.SwallowingMalformedTexts,
      "Text that is not a message is reported to the server",
      "The server was not told of a text that is not a message (no JSON): `malformed` was not called.",
    ],
    [
      "ends at malformed texts",
      broken.EndingAtMalformedTexts,
      "Text that is not a message is reported to the client",
      "A text that is not a message (no JSON) ended the connection.",
    ],
    [
      "ignores backpressure and queues everything",
      broken.IgnoringBackpressure,
      "`send` asks a sender",
      "`send` took 4096 messages of 16384 bytes at once and never returned a promise",
    ],
    [
      "ends before it asks a sender to wait",
      broken.EndingBeforeBackpressure,
      "`send` asks a sender",
      "messages of 16384 bytes, before `send` had returned a promise",
    ],
    [
      "never takes more after backpressure",
      broken.NeverDraining,
      "`send` asks a sender",
      "`send` returned a promise that did not settle, although the peer reads.",
    ],
    [
      "drops messages that are too large in silence",
      broken.DroppingLargeMessages,
      "A message above the byte limit",
      "A message above the limit of 2000000 bytes vanished: neither `malformed` nor `closed` was called.",
    ],
    [
      "delivers messages that are too large",
      broken.IgnoringTheSizeLimit,
      "A message above the byte limit",
      "A message above the limit of 2000000 bytes was delivered.",
    ],
    [
      "ends when its peer has sent the last message",
      broken.EndingWithItsInput,
      "An end whose peer has sent",
      "The client can still read, but the server's channel ended with the client's output.",
    ],
    [
      "does not say that its peer has sent the last message",
      broken.IgnoringTheEndOfInput,
      "An end whose peer has sent",
      "The client sent its last message, but `inputEnded` of the server's receiver was not called.",
    ],
    [
      "stays open after its peer has sent the last message",
      broken.IgnoringTheEndOfInput,
      "An end whose receiver has no `inputEnded`",
      "The server's receiver was not told of the end after its peer had sent its last message",
    ],
    [
      "does not notice that the connection broke",
      broken.IgnoringABrokenConnection,
      "A connection that breaks",
      "was not told of the end after the connection broke: `closed` was never called.",
    ],
    [
      "queues without end",
      broken.QueueingWithoutEnd,
      "A connection whose peer does not read",
      "with a limit of 4000000: it must end the connection rather than use more memory.",
    ],
    [
      "ends without saying that too much was queued",
      broken.EndingWithoutAReason,
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
      "A connection that breaks ends both ends, each once.",
      "An end whose peer has sent its last message is told so once, and can still send.",
      "An end whose receiver has no `inputEnded` closes by itself when its peer has sent its last message.",
      "`send` asks a sender that is too fast to wait, by a promise that settles once the peer has read.",
      "A connection whose peer does not read ends with an error once more than `maxQueuedBytes` wait.",
      "A message above the byte limit is reported or ends the connection, and is never dropped in silence.",
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
