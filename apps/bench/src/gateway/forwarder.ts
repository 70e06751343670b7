/**
 * Entry point of the measure of all gateways: bare `node:http` in front, undici behind, `JSON.parse` and `JSON.stringify` in
 * between. It checks nothing, knows no credentials, and writes no log.
 */
import { createServer } from "node:http";
import { Pool } from "undici";
import { listenOn } from "../contenders/contender.ts";
import { answerCommands } from "../processes/commands.ts";
import type { ApiCommands } from "./api.ts";

const [apiPort = "0"] = process.argv.slice(2);
const api = new Pool(`http://127.0.0.1:${apiPort}`, { connections: 64, pipelining: 1 });

interface Call {
  readonly id: unknown;
  readonly params: { readonly arguments: { readonly size: string } };
}

async function forward(text: string): Promise<string> {
  const { id, params } = JSON.parse(text) as Call;
  const { body } = await api.request({ path: `/items/${encodeURIComponent(params.arguments.size)}`, method: "GET" });
  const result = { content: [{ type: "text", text: await body.text() }] };
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    void forward(Buffer.concat(chunks).toString()).then((text) => {
      const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
      response.writeHead(200, headers).end(text);
    });
  });
});

const port = await listenOn(server);
answerCommands<ApiCommands>({ port: () => port });
