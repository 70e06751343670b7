import type { ChannelCheck, ChannelContractOptions, ChannelPair } from "./channel-check.ts";
import { describeError, expect } from "./contract.ts";
import { numberedMessage, numberedMessages } from "./numbered.ts";

/** How much a sender offers at most until it expects to be asked to wait. */
const MOST_MESSAGES = 4096;
const MESSAGE_TEXT = "x".repeat(16 * 1024);

/** The checks on bounded memory: senders that are too fast, peers that do not read, messages that are too large. */
export function limitChecks<Pair extends ChannelPair>(options: ChannelContractOptions<Pair>): ChannelCheck<Pair>[] {
  const { backpressure = true, maxMessageBytes, maxQueuedBytes } = options;
  const checks: ChannelCheck<Pair>[] = [];
  if (backpressure) checks.push(backpressureCheck());
  if (maxQueuedBytes !== undefined) checks.push(queueCheck(maxQueuedBytes));
  if (maxMessageBytes !== undefined) checks.push(sizeCheck(maxMessageBytes));
  return checks;
}

function backpressureCheck<Pair>(): ChannelCheck<Pair> {
  return {
    name: "`send` asks a sender that is too fast to wait, by a promise that settles once the peer has read.",
    async run({ client, server, watch }) {
      // The peer cannot read anything in the turn in which all of this is sent.
      let pending: Promise<void> | undefined;
      let sent = 0;
      while (pending === undefined && sent < MOST_MESSAGES && !client.isClosed) {
        pending = client.send(numberedMessage(++sent, MESSAGE_TEXT));
      }
      expect(
        !client.isClosed,
        `The connection ended after ${sent} messages of ${MESSAGE_TEXT.length} bytes, before \`send\` had returned a promise: a sender is asked to wait first.`,
      );
      expect(
        pending !== undefined,
        `\`send\` took ${sent} messages of ${MESSAGE_TEXT.length} bytes at once and never returned a promise: a sender cannot know that its peer reads too slowly.`,
      );
      await watch.settle(pending, "`send` returned a promise that did not settle, although the peer reads.");
      await client.sendAll([numberedMessage(++sent)]);
      await server.receivesNumbers(sent);
    },
  };
}

function queueCheck<Pair>(maxQueuedBytes: number): ChannelCheck<Pair> {
  return {
    name: "A connection whose peer does not read ends with an error once more than `maxQueuedBytes` wait.",
    async run({ client, watch }) {
      // Twice the limit, and room for the buffers of the platform.
      const most = Math.ceil((2 * maxQueuedBytes) / MESSAGE_TEXT.length) + 1024;
      let sent = 0;
      let refusal: unknown;
      while (refusal === undefined && !client.isClosed && sent < most) {
        try {
          void client.send(numberedMessage(++sent, MESSAGE_TEXT));
        } catch (error) {
          refusal = error;
        }
      }
      expect(
        refusal !== undefined || client.isClosed,
        `The client's channel queued ${sent * MESSAGE_TEXT.length} bytes for a peer that does not read, with a limit of ${maxQueuedBytes}: it must end the connection rather than use more memory.`,
      );
      await client.ends("more than `maxQueuedBytes` waited");
      expect(client.endings[0] !== undefined, "Too much waited for the peer, but `closed` got no reason.");
      await watch.quiet();
    },
  };
}

function sizeCheck<Pair>(maxMessageBytes: number): ChannelCheck<Pair> {
  return {
    name: "A message above the byte limit is reported or ends the connection, and is never dropped in silence.",
    async run({ client, server, watch }) {
      await client.sendAll([numberedMessage(1, "x".repeat(Math.floor(0.9 * maxMessageBytes)))]);
      await server.receivesNumbers(1);
      const error = await client.findSendError(numberedMessage(0, "x".repeat(maxMessageBytes)));
      if (error !== undefined) return;
      await watch.until(
        () => server.malformed.length > 0 || server.isClosed || server.numbers.length > 1,
        () =>
          `A message above the limit of ${maxMessageBytes} bytes vanished: neither \`malformed\` nor \`closed\` was called.`,
      );
      expect(server.numbers.length === 1, `A message above the limit of ${maxMessageBytes} bytes was delivered.`);
      if (server.isClosed) {
        const [reason] = server.endings;
        expect(reason !== undefined, `A message above the limit ended the connection, but \`closed\` got no reason.`);
        return;
      }
      await client.sendAll(numberedMessages(2).slice(1));
      await server.receivesNumbers(2);
      const [reported] = server.malformed;
      expect(
        reported?.message !== "",
        `A message above the limit was reported without words: ${describeError(reported)}.`,
      );
    },
  };
}
