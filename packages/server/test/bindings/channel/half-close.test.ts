import { once } from "node:events";
import { createConnection, createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";
import { createLineChannel } from "@toolwire/protocol/channels";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serveChannel } from "../../../src/bindings/channel/index.ts";
import { createServer, tool } from "../../../src/index.ts";
import { MODERN_META } from "../../raw-peer.ts";

/** The messages that a client can still read after it has sent its last byte. */
interface HalfClosed {
  /** The client's end of the socket. */
  readonly client: Socket;
  /** Resolves when the server has seen the end of what the client sends. */
  readonly ended: Promise<unknown>;
  /** Lets the tool `wait` answer. */
  release(): void;
  /** The messages that came until the connection was closed. */
  rest(): Promise<unknown[]>;
}

/** Serves lines over a socket, with the options that are needed and no other. */
async function open(): Promise<HalfClosed> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({
    name: "half",
    version: "1",
    onDiagnostic() {},
    tools: {
      wait: tool({ run: () => released.then(() => "waited") }),
      ask: tool({
        async run(_args, ctx) {
          await released;
          await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
          return "asked";
        },
      }),
    },
  });
  const listener = createSocketServer({ allowHalfOpen: true }, (socket) => {
    serveChannel(server, createLineChannel(socket, socket, { side: "server" }), { binding: "tcp" });
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void listener.close());
  const accepted = once(listener, "connection") as Promise<[Socket]>;
  const client = createConnection({
    port: (listener.address() as AddressInfo).port,
    host: "127.0.0.1",
    allowHalfOpen: true,
  });
  onTestFinished(() => void client.destroy());
  let text = "";
  client.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [socket] = await accepted;
  return {
    client,
    ended: once(socket, "end"),
    release,
    async rest() {
      await once(client, "end");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown);
    },
  };
}

function toLines(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
}

test("a client that has closed its half of a socket gets the answers to what it had asked, then the end", async () => {
  const { client, ended, release, rest } = await open();
  const params = { name: "wait", _meta: MODERN_META };
  client.end(toLines({ id: 1, method: "tools/call", params }, { id: 2, method: "tools/call", params }));
  const answers = rest();
  await ended;
  release();
  expect(await answers).toMatchObject([
    { id: 1, result: { content: [{ text: "waited" }] } },
    { id: 2, result: { content: [{ text: "waited" }] } },
  ]);
});

test("a client that has closed its half of a socket is asked nothing, since it could not answer", async () => {
  const { client, ended, release, rest } = await open();
  const clientInfo = { name: "test", version: "1" };
  const capabilities = { elicitation: {} };
  const handshake = { protocolVersion: "2025-06-18", capabilities, clientInfo };
  client.write(toLines({ id: 1, method: "initialize", params: handshake }));
  await once(client, "data");
  client.end(
    toLines({ method: "notifications/initialized" }, { id: 2, method: "tools/call", params: { name: "ask" } }),
  );
  const answers = rest();
  await ended;
  release();
  const [, answer, ...others] = await answers;
  expect(answer).toMatchObject({ id: 2 });
  expect(JSON.stringify(answer)).toContain("The client did not answer elicitation/create");
  expect(others).toEqual([]);
});
