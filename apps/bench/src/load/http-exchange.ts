/** Single HTTP exchanges, for handshakes and for looking at an answer before it is measured. */
import { connect } from "node:net";
import { INITIALIZE_PARAMS, LEGACY_REVISION } from "../workload/protocol.ts";
import { type PreparedRequest, prepareMessage, preparePost } from "../workload/requests.ts";
import { type HttpResponse, HttpResponseReader, readHeader } from "./http-response.ts";

/** Sends one request on a connection of its own. */
export function exchange(port: number, { bytes }: PreparedRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const reader = new HttpResponseReader((response) => {
      socket.destroy();
      resolve(response);
    });
    socket.on("data", (received: Buffer) => reader.push(received));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The server closed the connection without an answer.")));
    socket.write(bytes);
  });
}

/** Opens a legacy session and returns the headers its calls carry. */
export async function openSession(port: number, path = "/mcp"): Promise<Record<string, string>> {
  const opening = await exchange(
    port,
    preparePost(prepareMessage("initialize", INITIALIZE_PARAMS), { port, headers: {}, path }),
  );
  const session = readHeader(opening.head, "mcp-session-id");
  if (opening.status !== 200 || session === "") throw new Error(`No session was opened: HTTP ${opening.status}.`);
  const headers = { "MCP-Protocol-Version": LEGACY_REVISION, "Mcp-Session-Id": session };
  const initialized = { bytes: Buffer.from(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), idOffset: 0 };
  await exchange(port, preparePost(initialized, { port, headers, path }));
  return headers;
}
