import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { connect, type Channel, type Client, type ConnectOptions } from "@toolwire/client";
import { createLineChannel } from "@toolwire/protocol/channels";
import { serveChannel } from "@toolwire/server/channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPortChannel } from "../packages/protocol/test/readme/port-channel.ts";
import { server } from "./transports/server.ts";

const ERAS = ["modern", "legacy"] as const;

/** Connects, and does everything that takes more than a request and its response. */
async function tryOut(channel: Channel, era: ConnectOptions["era"]): Promise<{ client: Client; outcome: object }> {
  const elicitation = () => ({ action: "accept", content: { name: "Ada" } }) as const;
  const client = await connect(channel, { era, elicitation, reconnect: false });
  onTestFinished(() => client.close());
  const progress: number[] = [];
  const counted = await client.callTool(
    "count",
    { to: 3 },
    { onProgress: (report) => void progress.push(report.progress) },
  );
  const asked = await client.callTool("ask");
  const outcome = { era: client.era, progress, texts: [counted, asked].map(({ content }) => content[0]) };
  return { client, outcome };
}

function working(era: string): object {
  const texts = ["3", "Hello, Ada!"].map((text) => ({ type: "text", text }));
  return { era, progress: [1, 2, 3], texts };
}

describe("the port channel of the README, to a thread", () => {
  function startWorker(): { worker: Worker; channel: Channel } {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL("transports/worker.mjs", import.meta.url), {
      workerData: port2,
      transferList: [port2],
      execArgv: ["--conditions=@toolwire/source"],
    });
    onTestFinished(async () => void (await worker.terminate()));
    return { worker, channel: createPortChannel(port1, "client") };
  }

  test.each(ERAS)("serves the %s era", async (era) => {
    expect((await tryOut(startWorker().channel, era)).outcome).toEqual(working(era));
  });

  test("fails what was pending when the thread ends", async () => {
    const { worker, channel } = startWorker();
    const { client } = await tryOut(channel, "modern");
    const pending = expect(client.callTool("hang")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await worker.terminate();
    await pending;
    await client.closed;
  });
});

describe("the line channel of the README, over a Unix socket", () => {
  async function listen(sockets: Socket[] = []): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "toolwire-socket-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "tools.sock");
    const listener = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      serveChannel(server, createLineChannel(socket, socket, { side: "server" }), { binding: "unix" });
    });
    await once(listener.listen(path), "listening");
    onTestFinished(() => void listener.close());
    return path;
  }

  function open(path: string): Channel {
    const socket = createConnection(path);
    return createLineChannel(socket, socket, { side: "client" });
  }

  test.each(ERAS)("serves the %s era", async (era) => {
    expect((await tryOut(open(await listen()), era)).outcome).toEqual(working(era));
  });

  test("fails what was pending when the server ends the connection", async () => {
    const sockets: Socket[] = [];
    const { client } = await tryOut(open(await listen(sockets)), "modern");
    const pending = expect(client.callTool("hang")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    for (const socket of sockets) socket.end();
    await pending;
    await client.closed;
  });

  test("says why nobody could be reached", async () => {
    const nowhere = join(tmpdir(), "toolwire-no-such.sock");
    await expect(connect(() => open(nowhere), { reconnect: false })).rejects.toThrow("ENOENT");
  });
});
