import type { ExchangeTransport, NotificationMessage, RequestId, ResponseMessage, ResultMessage } from "../index.ts";
import { expect } from "./contract.ts";
import type { AnsweringPeer, ExchangeEnds, SentRequest, ServedRequest } from "./exchange-ends.ts";

/** A client's transport that is connected to a server, and not open yet. */
export interface ExchangePair {
  readonly client: ExchangeTransport;
}

/** How the suite gets connections, and what they can do. */
export interface ExchangeContractOptions<Pair extends ExchangePair = ExchangePair> {
  /**
   * Starts a server that hands every request and notification to `peer`, and makes a transport that reaches it. Called once
   * for each check. Put whatever the other functions need into the result.
   */
  readonly connect: (peer: AnsweringPeer) => Pair | Promise<Pair>;
  /** Releases what `connect` has made. By then, the transport has been closed. */
  readonly disconnect?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** Ends the server at once, with requests in flight. Absent: the check of this is left out. */
  readonly stopServer?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** How many milliseconds one check may take. Default 4000. */
  readonly timeout?: number | undefined;
}

/** A check that has not been bound to a connection yet. */
export interface ExchangeCheck<Pair> {
  readonly name: string;
  readonly run: (ends: ExchangeEnds, pair: Pair) => Promise<void>;
}

/** A text with line breaks and characters of up to four bytes, which is about one million bytes long in UTF-8. */
const LARGE = "Gr\u00fc\u00dfe\r\n\u65e5\u672c\u8a9e \ud83d\ude80\n".repeat(32 * 1024);

/** The checks that every exchange transport has to pass. */
export function exchangeChecks<Pair extends ExchangePair>({
  stopServer,
}: ExchangeContractOptions<Pair>): ExchangeCheck<Pair>[] {
  const checks: ExchangeCheck<Pair>[] = [
    {
      name: "A request reaches the server as it was sent, and its result comes back as it was sent.",
      run: sendAndAnswer,
    },
    { name: "An error response arrives with its code, its message and its data.", run: answerWithError },
    {
      name: "Many requests at the same time each get their own response, in whatever order they are answered.",
      run: answerInReverse,
    },
    {
      name: "Progress reaches the sink of its own request alone, in order and before the response.",
      run: reportProgress,
    },
    { name: "A request gets one response, though the server answers twice and goes on talking.", run: answerTwice },
    { name: "Cancelling a request tells the server once, and nothing reaches its sink afterwards.", run: cancel },
    { name: "Cancelling a request that was answered has no effect.", run: cancelLate },
    {
      name: "An answer that JSON cannot hold makes `respond` throw, and another answer can be given.",
      run: answerUnencodable,
    },
    { name: "One megabyte of text arrives whole in both directions.", run: sendLarge },
    { name: "A notification of the client reaches the server once.", run: notify },
    { name: "Closing fails every pending request once, and requests after it fail through their sink.", run: close },
  ];
  if (stopServer !== undefined) {
    checks.push({
      name: "A server that ends fails every pending request once.",
      async run(ends, pair) {
        const sent = [ends.send(1), ends.send(2)];
        for (const each of sent) await ends.reaches(each);
        await stopServer(pair);
        for (const each of sent) await ends.fails(each, "the server ended");
        await ends.watch.quiet();
      },
    });
  }
  return checks;
}

async function sendAndAnswer(ends: ExchangeEnds): Promise<void> {
  for (const id of [1, "one"]) {
    const sent = ends.send(id, { text: "two\nlines", list: [null, 0.5, ""] });
    const served = await ends.reaches(sent);
    expectSame("request", sent.request, served.request);
    const answer = resultOf(id, { deep: [{ a: null }], text: "\ud83d\ude80\n" });
    served.reply.respond(answer);
    expectSame("response", answer, await ends.answers(sent));
  }
  await ends.watch.quiet();
}

async function answerWithError(ends: ExchangeEnds): Promise<void> {
  const sent = ends.send(1);
  const answer: ResponseMessage = {
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32602, message: "Unknown tool", data: { name: "contract" } },
  };
  (await ends.reaches(sent)).reply.respond(answer);
  expectSame("error", answer, await ends.answers(sent));
}

async function answerInReverse(ends: ExchangeEnds): Promise<void> {
  const ids: RequestId[] = [1, "1", 2, "2", 3, "3", 4, "4", "a", "b"];
  const sent = ids.map((id) => ends.send(id));
  const served: ServedRequest[] = [];
  for (const each of sent) served.push(await ends.reaches(each));
  for (const { request, reply } of served.toReversed()) reply.respond(resultOf(request.id, { of: nameOf(request.id) }));
  for (const each of sent) {
    const { result } = (await ends.answers(each)) as ResultMessage;
    const of = String((result as { readonly of?: unknown }).of);
    const name = nameOf(each.request.id);
    expect(of === name, `The request with the id ${name} got the result of the request with the id ${of}.`);
  }
  await ends.watch.quiet();
}

async function reportProgress(ends: ExchangeEnds): Promise<void> {
  const sent = [ends.send(1), ends.send("1"), ends.send("other")];
  const served: ServedRequest[] = [];
  for (const each of sent) served.push(await ends.reaches(each));
  for (let progress = 1; progress <= 5; progress++) {
    for (const { request, reply } of served.slice(0, 2)) await reply.notify(progressOf(request.id, progress));
  }
  for (const { request, reply } of served) reply.respond(resultOf(request.id, {}));
  for (const each of sent) await ends.answers(each);
  await ends.watch.quiet();
  for (const [index, each] of sent.entries()) expectProgress(each, index < 2 ? 5 : 0);
}

function expectProgress({ request, notifications }: SentRequest, count: number): void {
  const id = nameOf(request.id);
  const tokens = notifications.map(({ params }) => (params as { readonly progressToken?: RequestId }).progressToken);
  const foreign = tokens.find((token) => token !== request.id);
  expect(
    foreign === undefined,
    `Progress of the request with the id ${JSON.stringify(foreign)} reached the sink of the request with the id ${id}.`,
  );
  const steps = notifications.map(({ params }) => (params as { readonly progress?: number }).progress);
  const expected = Array.from({ length: count }, (_, index) => index + 1);
  expect(
    steps.join() === expected.join(),
    `The server reported the progress ${expected.join(", ") || "none"} of the request with the id ${id}, and its sink received ${steps.join(", ") || "none"}.`,
  );
}

async function answerTwice(ends: ExchangeEnds): Promise<void> {
  const sent = ends.send(1);
  const { reply } = await ends.reaches(sent);
  reply.respond(resultOf(1, { answer: "first" }));
  reply.respond(resultOf(1, { answer: "second" }));
  await reply.notify(progressOf(1, 1));
  expectSame("response", resultOf(1, { answer: "first" }), await ends.answers(sent));
  // The connection is still of use, and brings nothing more of the first exchange.
  const next = ends.send(2);
  (await ends.reaches(next)).reply.respond(resultOf(2, {}));
  await ends.answers(next);
  await ends.watch.quiet();
  const { length } = sent.responses;
  expect(length === 1, `The request with the id 1 got ${length} responses: exactly one is delivered.`);
}

async function cancel(ends: ExchangeEnds): Promise<void> {
  const [sent, other] = [ends.send(1), ends.send(2)];
  const served = await ends.reaches(sent);
  const servedOther = await ends.reaches(other);
  sent.cancel("no longer needed");
  await ends.watch.until(
    () => served.cancellations.length > 0,
    () => "The client cancelled a request, but the server was not told: its work goes on.",
  );
  served.reply.respond(resultOf(1, {}));
  sent.cancel();
  servedOther.reply.respond(resultOf(2, {}));
  await ends.answers(other);
  await ends.watch.quiet();
  expect(servedOther.cancellations.length === 0, "Cancelling one request cancelled the work for another one.");
}

async function cancelLate(ends: ExchangeEnds): Promise<void> {
  const sent = ends.send(1);
  const served = await ends.reaches(sent);
  served.reply.respond(resultOf(1, {}));
  await ends.answers(sent);
  sent.cancel();
  const next = ends.send(2);
  (await ends.reaches(next)).reply.respond(resultOf(2, {}));
  await ends.answers(next);
  const { length } = served.cancellations;
  expect(length === 0, "The client cancelled a request that was answered, and the server was told to cancel it.");
}

async function answerUnencodable(ends: ExchangeEnds): Promise<void> {
  const sent = ends.send(1);
  const { reply } = await ends.reaches(sent);
  let error: unknown;
  try {
    reply.respond(resultOf(1, { big: 1n }));
  } catch (thrown) {
    error = thrown;
  }
  expect(
    error !== undefined,
    "`respond` took a BigInt, which JSON cannot hold: it must throw, so that the handler can give another answer.",
  );
  reply.respond(resultOf(1, { big: "1" }));
  expectSame("response", resultOf(1, { big: "1" }), await ends.answers(sent));
}

async function sendLarge(ends: ExchangeEnds): Promise<void> {
  const sent = ends.send(1, { text: LARGE });
  const { request, reply } = await ends.reaches(sent);
  const { text } = (request.params as { readonly arguments: { readonly text: string } }).arguments;
  expectText("server", text);
  reply.respond(resultOf(1, { text: LARGE }));
  const { result } = (await ends.answers(sent)) as ResultMessage;
  expectText("client", (result as { readonly text: string }).text);
}

function expectText(receiver: string, text: string): void {
  const { length } = text;
  expect(length === LARGE.length, `Of a text of ${LARGE.length} characters, ${length} arrived at the ${receiver}.`);
  expect(text === LARGE, `A text of one megabyte arrived at the ${receiver} with other characters.`);
}

async function notify(ends: ExchangeEnds): Promise<void> {
  const message: NotificationMessage = { jsonrpc: "2.0", method: "notifications/contract", params: { text: "a\nb" } };
  await ends.watch.settle(ends.client.notify(message), "`notify` returned a promise that did not settle.");
  await ends.watch.until(
    () => ends.notified.length > 0,
    () => "The client sent a notification, and it did not reach the server.",
  );
  await ends.watch.quiet();
  const { length } = ends.notified;
  expect(length === 1, `The client sent one notification, and the server received ${length}.`);
  expectSame("notification", message, ends.notified[0]!);
}

async function close(ends: ExchangeEnds): Promise<void> {
  const sent = [ends.send(1), ends.send(2)];
  for (const each of sent) await ends.reaches(each);
  const problem = "`close` of the client's transport did not settle in time.";
  await ends.watch.settle(Promise.all([ends.client.close(), ends.client.close()]), problem);
  for (const each of sent) await expectClosed(ends, each);
  await expectClosed(ends, ends.send(3));
  await ends.watch.settle(ends.client.close(), problem);
  await ends.watch.quiet();
}

async function expectClosed(ends: ExchangeEnds, sent: SentRequest): Promise<void> {
  const { code, message } = (await ends.fails(sent, "`close`")) as Error & { readonly code?: unknown };
  expect(
    (code === "CLOSED" || code === "CONNECTION_LOST") && message !== "",
    `The request with the id ${nameOf(sent.request.id)} failed with the code ${String(code)} after \`close\`: expected a TransportError CLOSED with a message.`,
  );
}

function resultOf(id: RequestId, result: object): ResultMessage {
  return { jsonrpc: "2.0", id, result };
}

function progressOf(progressToken: RequestId, progress: number): NotificationMessage {
  return { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } };
}

function nameOf(id: RequestId): string {
  return JSON.stringify(id);
}

function expectSame(kind: string, sent: object, arrived: object): void {
  const [expected, actual] = [JSON.stringify(sent), JSON.stringify(arrived)];
  expect(expected === actual, `A ${kind} was sent as ${expected} and arrived as ${actual}.`);
}
