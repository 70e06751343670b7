/** The canned server over WebSockets. */
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { listenOn } from "../contenders/contender.ts";
import { answerOther, callResponse, findCallId } from "./answers.ts";

/** Listens and resolves with the port. */
export function serveCannedWebSocket(bytes: number): Promise<number> {
  const [before, after] = callResponse(bytes);
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => "mcp" });
  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const id = findCallId(data);
      if (id !== undefined) {
        socket.send(`${before}${id}${after}`);
        return;
      }
      const response = answerOther(JSON.parse(data.toString()) as object);
      if (response !== undefined) socket.send(JSON.stringify(response));
    });
  });
  return listenOn(server);
}
