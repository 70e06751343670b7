/** The canned server over HTTP: bare sockets, and requests that are read as far as it takes to answer them. */
import { createServer, type Socket } from "node:net";
import { listenOn } from "../contenders/contender.ts";
import { answerOther, callResponse, findCallId } from "./answers.ts";

/** Listens and resolves with the port. */
export function serveCannedHttp(answers: "json" | "sse", bytes: number): Promise<number> {
  const [before, after] = callResponse(bytes);
  const respondToCall = (id: string): string => {
    if (answers === "json") return frameJson(`${before}${id}${after}`);
    const event = `event: message\ndata: ${before}${id}${after}\n\n`;
    const chunk = `${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`;
    return `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`;
  };
  const respond = (body: Buffer): string => {
    const id = findCallId(body);
    if (id !== undefined) return respondToCall(id);
    // A GET for the stream of a session has no body.
    if (body.length === 0) return "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
    const response = answerOther(JSON.parse(body.toString()) as object);
    return response === undefined
      ? "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
      : frameJson(JSON.stringify(response));
  };
  return listenOn(createServer((socket) => readRequests(socket, (body) => socket.write(respond(body), "latin1"))));
}

function frameJson(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Calls back with the body of every request. */
function readRequests(socket: Socket, onBody: (body: Buffer) => void): void {
  let pending: Buffer | undefined;
  socket.setNoDelay();
  socket.on("data", (received: Buffer) => {
    let bytes = pending === undefined ? received : Buffer.concat([pending, received]);
    for (;;) {
      const headEnd = bytes.indexOf("\r\n\r\n", 0, "latin1");
      if (headEnd === -1) break;
      const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, headEnd))?.[1] ?? "0";
      const end = headEnd + 4 + Number(length);
      if (bytes.length < end) break;
      onBody(bytes.subarray(headEnd + 4, end));
      bytes = bytes.subarray(end);
    }
    pending = bytes.length > 0 ? bytes : undefined;
  });
  // Clients come and go as they like.
  socket.on("error", () => socket.destroy());
}
