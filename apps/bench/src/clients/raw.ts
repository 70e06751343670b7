/**
 * The measure of the other clients: stringify a request, send it, parse the answer, hand it to whoever waits for that
 * id. Over HTTP, that is `http.request` with a keep-alive agent.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { answerInMemory } from "../canned/memory.ts";
import { answerWith } from "../contenders/raw.ts";
import { callParams } from "../workload/requests.ts";
import { type Answer, prepareCalls, readText } from "./bare-http.ts";
import type { Caller, ClientContender, ClientTarget } from "./client.ts";

export const client: ClientContender = {
  name: "raw",
  packages: [],
  offer: () => ({}),
  async connect(target) {
    if (target.transport === "http") return connectHttp(target);
    if (target.transport === "stdio") return connectPipes(target);
    if (target.transport === "websocket") return connectWebSocket(target);
    return connectMemory(target);
  },
};

async function connectHttp({ url, answers, bytes }: ClientTarget & { transport: "http" }): Promise<Caller> {
  const { Agent, request } = await import("node:http");
  const { port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const { headers, nextBody } = prepareCalls(bytes);
  return () =>
    new Promise((resolve, reject) => {
      const body = nextBody();
      const post = request(
        {
          host: "127.0.0.1",
          port,
          path: "/mcp",
          method: "POST",
          agent,
          headers: { ...headers, "Content-Length": Buffer.byteLength(body) },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => resolve(readText(text, answers)));
        },
      );
      post.on("error", reject);
      post.end(body);
    });
}

/** Matches answers to calls by id. */
function createCaller(
  bytes: number,
  send: (message: string) => void,
): { call: Caller; receive: (text: string) => void } {
  const params = callParams({ kind: "echo", bytes }, "modern");
  const waiting = new Map<number, (text: string) => void>();
  let id = 0;
  return {
    call: () =>
      new Promise((resolve) => {
        waiting.set(++id, resolve);
        send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
      }),
    receive(text) {
      const answer = JSON.parse(text) as Answer;
      const resolve = waiting.get(answer.id);
      waiting.delete(answer.id);
      resolve?.(answer.result.content[0]?.text ?? "");
    },
  };
}

async function connectPipes({ command, bytes }: ClientTarget & { transport: "stdio" }): Promise<Caller> {
  const [program = "", ...rest] = command;
  const child = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });
  const { call, receive } = createCaller(bytes, (message) => child.stdin.write(`${message}\n`));
  let pending = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    lines[0] = pending + (lines[0] ?? "");
    pending = lines.pop() ?? "";
    for (const line of lines) receive(line);
  });
  return call;
}

async function connectWebSocket({ url, bytes }: ClientTarget & { transport: "websocket" }): Promise<Caller> {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url, "mcp", { perMessageDeflate: false });
  const { call, receive } = createCaller(bytes, (message) => socket.send(message));
  socket.on("message", (data: Buffer) => receive(data.toString()));
  await once(socket, "open");
  return call;
}

/** Both ends in one process: messages become text and back on either side, or with a canned server stay objects. */
function connectMemory({ server, bytes }: ClientTarget & { transport: "memory" }): Caller {
  if (server === "canned") return connectCanned(bytes);
  const answer = answerWith({ tools: 2 });
  const { call, receive } = createCaller(bytes, (message) => {
    queueMicrotask(() => {
      const response = JSON.stringify(answer(JSON.parse(message) as Parameters<typeof answer>[0]));
      queueMicrotask(() => receive(response));
    });
  });
  return call;
}

function connectCanned(bytes: number): Caller {
  const answer = answerInMemory(bytes);
  const params = callParams({ kind: "echo", bytes }, "modern");
  const waiting = new Map<number, (text: string) => void>();
  const receive = ({ id, result }: Answer): void => {
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(result.content[0]?.text ?? "");
  };
  let id = 0;
  return () =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      const message = { jsonrpc: "2.0", id, method: "tools/call", params };
      queueMicrotask(() => {
        const response = answer(message) as Answer;
        queueMicrotask(() => receive(response));
      });
    });
}
