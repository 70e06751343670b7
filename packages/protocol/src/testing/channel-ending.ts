import type { ChannelCheck, ChannelContractOptions, ChannelPair, OpenConnection } from "./channel-check.ts";
import type { ChannelEnd, EndName } from "./channel-end.ts";
import { describeError, expect } from "./contract.ts";
import { numberedMessage, numberedMessages } from "./numbered.ts";

const END_NAMES: readonly EndName[] = ["client", "server"];

/** The checks on how connections end: on purpose, in one direction, and by an accident. */
export function endingChecks<Pair extends ChannelPair>(options: ChannelContractOptions<Pair>): ChannelCheck<Pair>[] {
  const { breakConnection, endInput, endOutput } = options;
  const checks: ChannelCheck<Pair>[] = [
    ...END_NAMES.flatMap((name) => [closeCheck<Pair>(name), flushCheck<Pair>(name), silenceCheck<Pair>(name)]),
    {
      name: "Closing twice, and at both ends at the same time, ends each end once.",
      async run({ client, server, watch }) {
        await Promise.all([client.close(), server.close(), client.close(), server.close()]);
        await client.close();
        await server.close();
        await Promise.all([client.ends("`close`"), server.ends("`close`")]);
        await watch.quiet();
      },
    },
    {
      name: "An end that is closed refuses to send, with an error that says so.",
      async run({ client, server }) {
        const closing = client.close();
        await expectRefusal(client, "right after its `close` was called");
        await closing;
        await expectRefusal(client, "after it was closed");
        await server.ends("its peer closed");
        await expectRefusal(server, "after its peer closed");
      },
    },
  ];
  if (breakConnection !== undefined) checks.push(breakCheck(breakConnection));
  if (endOutput !== undefined) checks.push(...halfCloseChecks(endOutput));
  if (endInput !== undefined) checks.push(deafPeerCheck(endInput));
  return checks;
}

/** The two ends, in the order of the one that acts and its peer. */
function order<Pair>({ client, server }: OpenConnection<Pair>, first: EndName): readonly [ChannelEnd, ChannelEnd] {
  return first === "client" ? [client, server] : [server, client];
}

function closeCheck<Pair>(name: EndName): ChannelCheck<Pair> {
  return {
    name: `Closing at the ${name} ends both ends, each once, and its own end without a reason.`,
    async run(connection) {
      const [closer, peer] = order(connection, name);
      await closer.close();
      for (const end of [closer, peer]) await end.ends(`the ${name} closed`);
      // The peer may be told why: a WebSocket, for example, carries a reason.
      const [reason] = closer.endings;
      expect(
        reason === undefined,
        `The ${name} closed on purpose, but \`closed\` of its receiver got a reason: ${describeError(reason)}.`,
      );
      await connection.watch.quiet();
    },
  };
}

function flushCheck<Pair>(name: EndName): ChannelCheck<Pair> {
  return {
    name: `Everything that the ${name} sent before it closed arrives before the end.`,
    async run(connection) {
      const [closer, peer] = order(connection, name);
      for (const message of numberedMessages(100)) void closer.send(message);
      await closer.close();
      await peer.ends(`the ${name} closed`);
      await peer.receivesNumbers(100);
    },
  };
}

function silenceCheck<Pair>(name: EndName): ChannelCheck<Pair> {
  return {
    name: `Nothing arrives at the ${name} after it was closed, though its peer was still sending.`,
    async run(connection) {
      const [closer, peer] = order(connection, name);
      // Closing in the middle of a delivery is the hardest case: more messages wait in the same buffer.
      let closing: Promise<void> | undefined;
      closer.onMessage = () => (closing ??= closer.close());
      for (const message of numberedMessages(100)) void peer.send(message);
      await closer.receives(1);
      await closing;
      await closer.ends("`close`");
      await peer.ends(`the ${name} closed`);
      await connection.watch.quiet();
    },
  };
}

async function expectRefusal(end: ChannelEnd, when: string): Promise<void> {
  const error = await end.findSendError(numberedMessage(1));
  const problem = `\`send\` of the ${end.name}'s channel took a message ${when}: it must throw a TransportError CLOSED.`;
  expect(error !== undefined, problem);
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  expect(
    (code === "CLOSED" || code === "CONNECTION_LOST") && typeof message === "string" && message !== "",
    `\`send\` of the ${end.name}'s channel threw ${describeError(error)} ${when}: expected a TransportError CLOSED with a message.`,
  );
}

function breakCheck<Pair extends ChannelPair>(
  breakConnection: NonNullable<ChannelContractOptions<Pair>["breakConnection"]>,
): ChannelCheck<Pair> {
  return {
    name: "A connection that breaks ends both ends, each once.",
    async run({ client, server, pair, watch }) {
      await client.sendAll(numberedMessages(1));
      await server.receivesNumbers(1);
      await breakConnection(pair);
      await Promise.all([client.ends("the connection broke"), server.ends("the connection broke")]);
      await watch.quiet();
    },
  };
}

function halfCloseChecks<Pair extends ChannelPair>(
  endOutput: NonNullable<ChannelContractOptions<Pair>["endOutput"]>,
): ChannelCheck<Pair>[] {
  return [
    {
      name: "An end whose peer has sent its last message is told so once, and can still send.",
      hearsInputEnd: true,
      async run({ client, server, pair, watch }) {
        await client.sendAll(numberedMessages(10));
        await server.receivesNumbers(10);
        await endOutput(pair, "client");
        await watch.until(
          () => server.inputEndings > 0 || server.isClosed,
          () => "The client sent its last message, but `inputEnded` of the server's receiver was not called.",
        );
        expect(!server.isClosed, "The client can still read, but the server's channel ended with the client's output.");
        await server.sendAll(numberedMessages(10));
        await client.receivesNumbers(10);
        await server.close();
        await server.ends("`close`");
      },
    },
    {
      name: "An end whose receiver has no `inputEnded` closes by itself when its peer has sent its last message.",
      async run({ client, server, pair }) {
        await client.sendAll(numberedMessages(10));
        await server.receivesNumbers(10);
        await endOutput(pair, "client");
        await server.ends("its peer had sent its last message");
      },
    },
  ];
}

function deafPeerCheck<Pair extends ChannelPair>(
  endInput: NonNullable<ChannelContractOptions<Pair>["endInput"]>,
): ChannelCheck<Pair> {
  return {
    name: "An end that can send nothing more still delivers what its peer sends, and ends with a reason.",
    hearsInputEnd: true,
    async run({ client, server, pair, watch }) {
      await endInput(pair, "server");
      await watch.until(
        () => client.outputEndings > 0 || client.isClosed,
        () => "The server stopped reading, but neither `outputEnded` nor `closed` of the client's receiver was called.",
      );
      if (!client.isClosed) {
        await server.sendAll(numberedMessages(10));
        await client.receivesNumbers(10);
        await expectRefusal(client, "after its output had ended");
      }
      await client.ends("its output had ended");
      expect(client.endings[0] !== undefined, "The client could not send any more, but `closed` got no reason.");
    },
  };
}
