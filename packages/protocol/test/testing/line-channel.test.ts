import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "vitest";
import { createLineChannel } from "../../src/channels/index.ts";
import { Multiplexer } from "../../src/internal.ts";
import { channelContract, exchangeContract, registerContract } from "../../src/testing/index.ts";

const LIMITS = { maxMessageBytes: 2_000_000, maxQueuedBytes: 4_000_000 };

type Pipe = ChildProcessByStdio<Writable, Readable, null>;

/** Two pipes through a process each, one for every direction, as between a client and the server that it has started. */
function connectPipes() {
  const [toServer, toClient] = [startPipe(), startPipe()];
  return {
    client: createLineChannel(toClient.stdout, toServer.stdin, { side: "client", ...LIMITS }),
    server: createLineChannel(toServer.stdout, toClient.stdin, { side: "server", ...LIMITS }),
    outputs: { client: toServer.stdin, server: toClient.stdin },
    pipes: { client: toServer, server: toClient },
  };
}

function startPipe(): Pipe {
  return spawn(process.execPath, ["-e", "process.stdin.pipe(process.stdout)"], { stdio: ["pipe", "pipe", "inherit"] });
}

registerContract(
  "createLineChannel over pipes",
  channelContract({
    connect: connectPipes,
    disconnect({ pipes }) {
      for (const pipe of Object.values(pipes)) pipe.kill();
    },
    sendText: ({ outputs }, from, text) => void outputs[from].write(`${text}\n`),
    endOutput: ({ outputs }, end) => void outputs[end].end(),
    endInput: ({ pipes }, end) => void pipes[end === "server" ? "client" : "server"].kill(),
    breakConnection({ pipes }) {
      for (const pipe of Object.values(pipes)) pipe.kill();
    },
    ...LIMITS,
    timeout: 20_000,
  }),
  { describe, it },
);

/** One socket, both directions of which are used. */
async function connectSockets() {
  const listener = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const near = createConnection({ port: (listener.address() as AddressInfo).port, allowHalfOpen: true });
  const far = await new Promise<Socket>((resolve) => void listener.once("connection", resolve));
  listener.close();
  return {
    client: createLineChannel(near, near, { side: "client", ...LIMITS }),
    server: createLineChannel(far, far, { side: "server", ...LIMITS }),
    sockets: { client: near, server: far },
  };
}

registerContract(
  "createLineChannel over a socket",
  channelContract({
    connect: connectSockets,
    sendText: ({ sockets }, from, text) => void sockets[from].write(`${text}\n`),
    endOutput: ({ sockets }, end) => void sockets[end].end(),
    breakConnection: ({ sockets }) => void sockets.client.destroy(),
    ...LIMITS,
    timeout: 20_000,
  }),
  { describe, it },
);

registerContract(
  "The multiplexer over a socket",
  exchangeContract({
    async connect(peer) {
      const { client, server, sockets } = await connectSockets();
      await new Multiplexer(server).open(peer);
      return { client: new Multiplexer(client), sockets };
    },
    stopServer: ({ sockets }) => void sockets.server.destroy(),
    timeout: 20_000,
  }),
  { describe, it },
);
