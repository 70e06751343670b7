import type { Message } from "../index.ts";
import type { ChannelCheck, ChannelContractOptions, ChannelPair } from "./channel-check.ts";
import type { ChannelEnd } from "./channel-end.ts";
import { expect } from "./contract.ts";
import { numberedMessage, numberedMessages } from "./numbered.ts";

/** Texts that have broken framings before: line breaks of every kind, control characters, and characters of 2 to 4 bytes. */
const TEXTS = [
  "two\nlines",
  "two\r\nlines",
  "a line separator \u2028 and a paragraph separator \u2029",
  "NUL \u0000, escape \u001b, delete \u007f and the byte order mark \ufeff",
  'quotes " and \\" and backslashes \\ and \\n',
  "Gr\u00fc\u00dfe, \u0395\u03bb\u03bb\u03ac\u03b4\u03b1, \u65e5\u672c\u8a9e, \u0639\u0631\u0628\u064a, \ud83d\udc69\u200d\ud83d\ude80",
  "half of a surrogate pair \ud83d",
  "data: not an event\n\n",
  "",
];

/** A text of about one million bytes in UTF-8, with characters that a cut between two chunks can fall into. */
const MEGABYTE = "\u65e5\u672c\u8a9e \ud83d\ude80 ".repeat(64 * 1024);

/** Messages of all four kinds, with ids that must not be mistaken for each other. */
const KINDS: readonly Message[] = [
  { jsonrpc: "2.0", id: 1, method: "tools/list" },
  {
    jsonrpc: "2.0",
    id: "1",
    method: "tools/call",
    params: { name: "x", arguments: { deep: [{ a: [null, 0.5, -1] }] } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 1, result: {} },
  { jsonrpc: "2.0", id: "1", result: { content: [], "": "an empty key" } },
  { jsonrpc: "2.0", id: "", error: { code: -32602, message: "an empty id", data: { path: ["a", 0] } } },
];

/** The checks that every message arrives: whole, once and in order. */
export function deliveryChecks<Pair extends ChannelPair>(options: ChannelContractOptions<Pair>): ChannelCheck<Pair>[] {
  const checks: ChannelCheck<Pair>[] = [
    {
      name: "Messages from the client arrive at the server in the order in which they were sent.",
      run: ({ client, server }) => sendInOrder(client, server),
    },
    {
      name: "Messages from the server arrive at the client in the order in which they were sent.",
      run: ({ client, server }) => sendInOrder(server, client),
    },
    {
      name: "Both ends can send at the same time, and neither loses a message.",
      async run({ client, server }) {
        await Promise.all([client.sendAll(numberedMessages(300)), server.sendAll(numberedMessages(300))]);
        await Promise.all([client.receivesNumbers(300), server.receivesNumbers(300)]);
      },
    },
    {
      name: "Several tasks can send at the same time, and every message arrives once and in order.",
      async run({ client, server }) {
        let number = 0;
        const tasks = Array.from({ length: 10 }, async () => {
          for (let sent = 0; sent < 20; sent++) await client.sendAll([numberedMessage(++number)]);
        });
        await Promise.all(tasks);
        await server.receivesNumbers(200);
      },
    },
    {
      name: "Five thousand small messages arrive, none of them lost and none of them twice.",
      async run({ client, server }) {
        await client.sendAll(numberedMessages(5000));
        await server.receivesNumbers(5000);
      },
    },
    {
      name: "Requests, notifications, results and errors arrive as they were sent.",
      async run({ client, server }) {
        await sendAndCompare(client, server, KINDS);
        await sendAndCompare(server, client, KINDS);
      },
    },
    {
      name: 'The ids 1 and "1" stay different: every id keeps its type.',
      async run({ client, server }) {
        const ids = [1, "1", 0, "0", -1, 2 ** 53 - 1, "", "1.0"];
        await client.sendAll(ids.map((id) => ({ jsonrpc: "2.0", id, method: "ping" })));
        await server.receives(ids.length);
        const arrived = server.messages.map((message) => ("id" in message ? message.id : undefined));
        const wrong = ids.findIndex((id, index) => arrived[index] !== id);
        expect(
          wrong === -1,
          `A request with the id ${JSON.stringify(ids[wrong])} arrived with the id ${JSON.stringify(arrived[wrong])}: ids arrive as they were sent.`,
        );
      },
    },
    {
      name: "Text arrives unchanged, with its line breaks, control characters and characters of any script.",
      async run({ client, server }) {
        await sendAndCompare(
          client,
          server,
          TEXTS.map((text, index) => numberedMessage(index + 1, text)),
        );
        await sendAndCompare(
          server,
          client,
          TEXTS.map((text, index) => numberedMessage(index + 1, text)),
        );
      },
    },
    {
      name: "A message of one megabyte arrives whole, in its place between small ones.",
      async run({ client, server }) {
        await sendLarge(client, server);
        await sendLarge(server, client);
      },
    },
  ];
  if (options.passesObjects !== true) {
    checks.push({
      name: "A message that JSON cannot hold makes `send` throw, and the connection goes on without it.",
      run: ({ client, server }) => sendUnencodable(client, server),
    });
  }
  if (options.sendText !== undefined) {
    checks.push(malformedCheck("client", options), malformedCheck("server", options));
  }
  return checks;
}

async function sendInOrder(from: ChannelEnd, to: ChannelEnd): Promise<void> {
  // All in one turn, and without waiting: a channel that sends each message by itself must keep them in order.
  for (const message of numberedMessages(100)) void from.send(message);
  await to.receivesNumbers(100);
}

async function sendAndCompare(from: ChannelEnd, to: ChannelEnd, messages: readonly Message[]): Promise<void> {
  await from.sendAll(messages);
  await to.receivesSame(messages);
}

async function sendLarge(from: ChannelEnd, to: ChannelEnd): Promise<void> {
  await from.sendAll([numberedMessage(1), numberedMessage(2, MEGABYTE), numberedMessage(3)]);
  await to.receivesNumbers(3);
  const large = to.messages[1] as { readonly params: { readonly text: string } };
  const { length } = large.params.text;
  expect(
    length === MEGABYTE.length,
    `The ${from.name} sent a text of ${MEGABYTE.length} characters, and the ${to.name} received ${length} of them.`,
  );
  expect(large.params.text === MEGABYTE, `A text of one megabyte arrived at the ${to.name} with other characters.`);
}

async function sendUnencodable(from: ChannelEnd, to: ChannelEnd): Promise<void> {
  const message = { jsonrpc: "2.0", method: "notifications/contract", params: { number: 1n } } as const;
  const error = await from.findSendError(message);
  expect(error !== undefined, "`send` took a BigInt, which JSON cannot hold: it must throw before anything is sent.");
  await from.sendAll(numberedMessages(1));
  await to.receivesNumbers(1);
  const { length } = to.malformed;
  expect(length === 0, `\`send\` refused a BigInt, but a part of the message arrived at the ${to.name}.`);
}

/** Texts of which none is a message. There are few of them: clients may ignore a longer row, as it is usually a log. */
const NO_MESSAGES = [
  "no JSON",
  '{"jsonrpc":"2.0",',
  '{"hello":"world"}',
  "42",
  '{"jsonrpc":"1.0","id":1,"method":"x"}',
];

function malformedCheck<Pair extends ChannelPair>(
  from: "client" | "server",
  { sendText }: ChannelContractOptions<Pair>,
): ChannelCheck<Pair> {
  const to = from === "client" ? "server" : "client";
  return {
    name: `Text that is not a message is reported to the ${to} as malformed, and the connection goes on.`,
    async run(connection) {
      const { [from]: sender, [to]: receiver, pair, watch } = connection;
      for (const [index, text] of NO_MESSAGES.entries()) {
        await sendText?.(pair, from, text);
        await watch.until(
          () => receiver.malformed.length > index || receiver.isClosed,
          () => `The ${to} was not told of a text that is not a message (${text}): \`malformed\` was not called.`,
        );
        expect(!receiver.isClosed, `A text that is not a message (${text}) ended the connection.`);
      }
      await sender.sendAll(numberedMessages(1));
      await receiver.receivesNumbers(1);
      const { length } = receiver.malformed;
      expect(length === NO_MESSAGES.length, `${NO_MESSAGES.length} malformed texts were reported ${length} times.`);
    },
  };
}
