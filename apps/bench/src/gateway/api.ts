/** Entry point of the API behind the gateways: bare sockets and canned responses, so that it outruns whatever calls it. */
import { createServer } from "node:net";
import { listenOn } from "../contenders/contender.ts";
import { answerCommands } from "../processes/commands.ts";
import { bodyOf, type Size } from "./workload.ts";

/** The commands of the API's process. */
export interface ApiCommands {
  port(argument: undefined): number;
}

const LARGE = Buffer.from("/large");
const RESPONSES = { small: respondWith("small"), large: respondWith("large") };

function respondWith(size: Size): Buffer {
  const body = bodyOf(size);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

// A GET has no body, and none of those who call pipelines requests: what ends with an empty line is one request.
const server = createServer({ noDelay: true }, (socket) => {
  let pending: Buffer | undefined;
  socket.on("data", (received: Buffer) => {
    const bytes = pending === undefined ? received : Buffer.concat([pending, received]);
    if (bytes.subarray(-4).toString("latin1") !== "\r\n\r\n") {
      pending = bytes;
      return;
    }
    pending = undefined;
    const isLarge = bytes.subarray(0, 64).includes(LARGE);
    socket.write(isLarge ? RESPONSES.large : RESPONSES.small);
  });
  socket.on("error", () => socket.destroy());
});

const port = await listenOn(server);
answerCommands<ApiCommands>({ port: () => port });
