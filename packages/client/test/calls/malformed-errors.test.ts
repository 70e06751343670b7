import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, ProtocolViolation, type Client, type ConnectTarget } from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { listen, openEvents, sendJson } from "../transports/http/listen.ts";
import { scriptedProcess } from "../transports/stdio/scripted-process.ts";

const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** Errors that lack what JSON-RPC wants of them, and what a reader should learn from each. */
const ERRORS: readonly [said: string, error: unknown][] = [
  ['{"message":"Quota exceeded"}', { message: "Quota exceeded" }],
  ['{"code":"E_QUOTA","message":"Quota exceeded"}', { code: "E_QUOTA", message: "Quota exceeded" }],
  ['{"code":-32000}', { code: -32000 }],
  ['{"text":"Quota exceeded"}', { code: -32000, message: { text: "Quota exceeded" } }],
  ['{"message":"Quota exceeded"', { message: "Quota exceeded", stack: "at work\n".repeat(1000) }],
  ['"Quota exceeded"', "Quota exceeded"],
  ["null", null],
];

async function overStdio(error: unknown): Promise<ConnectTarget> {
  const { command, args } = scriptedProcess(`({ id, method }) => {
    if (method === "server/discover") return ${JSON.stringify(DISCOVERY)};
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: ${JSON.stringify(error)} }) + "\\n");
  }`);
  return { command, args: args ?? [] };
}

async function overWebSocket(error: unknown): Promise<ConnectTarget> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) =>
    socket.on("message", (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id?: number; method: string };
      if (id === undefined) return;
      const answer = method === "server/discover" ? { result: DISCOVERY } : { error };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }),
  );
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Over HTTP, a broken answer is the text of a page, or an event of a stream that stays open. */
async function overHttp(answer: (id: number) => object, streams: boolean): Promise<ConnectTarget> {
  const { url } = await listen(({ message }, response) => {
    const { id, method } = message!;
    if (method === "server/discover") sendJson(response, { jsonrpc: "2.0", id, result: DISCOVERY });
    else if (streams) openEvents(response)({ jsonrpc: "2.0", ...answer(id!) });
    else sendJson(response, { jsonrpc: "2.0", ...answer(id!) });
  });
  return url;
}

async function failureOfCall(target: ConnectTarget): Promise<Error> {
  // Without a limit: whoever waited for a proper answer would wait forever.
  const client: Client = await connect(target, { onDiagnostic() {}, timeout: Infinity, maxTimeout: Infinity });
  onTestFinished(() => client.close());
  return client.callTool("t").then(
    () => expect.unreachable("The call must fail."),
    (error: unknown) => error as Error,
  );
}

describe.each([
  ["stdio", overStdio],
  ["WebSocket", overWebSocket],
  ["HTTP", (error: unknown) => overHttp((id) => ({ id, error }), false)],
  ["HTTP, in a stream", (error: unknown) => overHttp((id) => ({ id, error }), true)],
] as const)("an error over %s that breaks the rules fails its call in the words of the server", (_, serve) => {
  test.each(ERRORS)("%s", async (said, error) => {
    const failure = await failureOfCall(await serve(error));
    expect(failure).toBeInstanceOf(ProtocolViolation);
    expect(failure).toMatchObject({ code: "INVALID_MESSAGE" });
    expect(failure.message).toContain(said);
    expect(failure.message.length).toBeLessThan(500);
  });
});

describe("over HTTP, the exchange says which request an error answers: the client", () => {
  test.each([false, true])("takes an error that writes the id as a string; in a stream: %s", async (streams) => {
    const target = await overHttp((id) => ({ id: String(id), error: { message: "Quota exceeded" } }), streams);
    const failure = await failureOfCall(target);
    expect(failure).toMatchObject({ code: "INVALID_MESSAGE" });
    expect(failure.message).toContain('{"message":"Quota exceeded"}');
  });

  test("takes an error without an id", async () => {
    const message = `You have sent ${"too ".repeat(20)}much`;
    const failure = await failureOfCall(await overHttp(() => ({ id: null, error: { message } }), false));
    expect(failure).toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    expect(failure.message).toContain(message);
  });

  test("ignores an error for another request", async () => {
    const { url } = await listen(({ message }, response) => {
      const { id, method } = message!;
      if (method === "server/discover") return sendJson(response, { jsonrpc: "2.0", id, result: DISCOVERY });
      const send = openEvents(response);
      send({ jsonrpc: "2.0", id: 99, error: { message: "of something else" } });
      send({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } });
      response.end();
    });
    const client = await connect(url, { onDiagnostic() {} });
    onTestFinished(() => client.close());
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [] });
  });
});
