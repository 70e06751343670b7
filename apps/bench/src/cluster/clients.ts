/** Entry point of the process of clients that wait for something: for an answer, or for news. Its commands measure how long. */
import { createEventDecoder } from "@toolwire/protocol/framing";
import { Agent, type Dispatcher, request } from "undici";
import { quantile } from "../measure/statistics.ts";
import { answerCommands } from "../processes/commands.ts";
import { ITEM_URI } from "./wiring.ts";

/** Times in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

/** The commands of the process. */
export interface ClientCommands {
  /** Opens sessions, which all other commands use, in place of those that were opened before. */
  open(argument: { readonly port: number; readonly count: number }): Promise<void>;
  /** Sends one call of each session. */
  visit(port: number): Promise<void>;
  /** Opens a stream of each session, which watches the item. The sessions are dealt out to the ports. */
  listen(argument: { readonly ports: readonly number[]; readonly isWatching: boolean }): Promise<void>;
  /** Calls a tool that asks, and answers at another port: the time from answering to the result. */
  answer(argument: { readonly asking: number; readonly answering: number; readonly count: number }): Promise<Times>;
  /** Has a port announce changes: the time until all who listen have heard. */
  change(argument: { readonly port: number; readonly count: number }): Promise<Times>;
}

const REVISION = "2025-11-25";
const BATCH = 50;
/** Nothing here takes as long, unless it hangs. */
const LIMIT_MS = 30_000;

const agent = new Agent({ pipelining: 1, headersTimeout: LIMIT_MS, bodyTimeout: 0 });
let sessions: string[] = [];
let lastId = 0;
/** Called with each piece of news that a listener hears. */
let onNews = (): void => {};

answerCommands<ClientCommands>({
  async open({ port, count }) {
    sessions = [];
    while (sessions.length < count) {
      const opening = Array.from({ length: Math.min(BATCH, count - sessions.length) }, () => openSession(port));
      sessions.push(...(await Promise.all(opening)));
    }
  },
  async visit(port) {
    await inBatches(async (session) => {
      await readText(await call(port, session, "echo", { text: "visit" }));
    });
  },
  async listen({ ports, isWatching }) {
    await inBatches(async (session, index) => {
      const port = ports[index % ports.length] ?? 0;
      await openStream(port, session);
      if (!isWatching) return;
      const message = { jsonrpc: "2.0", id: nextId(), method: "resources/subscribe", params: { uri: ITEM_URI } };
      await readText(await post(port, session, message));
    });
  },
  async answer({ asking, answering, count }) {
    const [session = ""] = sessions;
    const times: number[] = [];
    for (let number = 0; number < count; number += 1) times.push(await askOnce(session, asking, answering));
    return summarizeTimes(times);
  },
  async change({ port, count }) {
    const [session = ""] = sessions;
    const times: number[] = [];
    for (let number = 0; number < count; number += 1) {
      let missing = sessions.length;
      const start = performance.now();
      const heard = new Promise<number>((resolve) => {
        onNews = () => {
          missing -= 1;
          if (missing === 0) resolve(performance.now() - start);
        };
      });
      await readText(await call(port, session, "change", {}));
      times.push(await withinLimit(heard));
    }
    return summarizeTimes(times);
  },
});

/** The time from sending the answer to the result of the call. */
async function askOnce(session: string, asking: number, answering: number): Promise<number> {
  const response = await call(asking, session, "ask", {});
  let start = 0;
  for await (const message of readMessages(response.body)) {
    const { id, method, result } = message as { id?: unknown; method?: string; result?: { content?: unknown } };
    if (method === "elicitation/create") {
      start = performance.now();
      const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: { word: "yes" } } };
      void post(answering, session, answer).then(readText);
    } else if (result !== undefined) {
      if (start === 0) throw new Error("There was no question.");
      return performance.now() - start;
    }
  }
  throw new Error("The stream has ended without an answer.");
}

async function openSession(port: number): Promise<string> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: REVISION, capabilities: { elicitation: {} }, clientInfo };
  const response = await post(port, undefined, { jsonrpc: "2.0", id: nextId(), method: "initialize", params });
  const session = String(response.headers["mcp-session-id"] ?? "");
  await readText(response);
  await readText(await post(port, session, { jsonrpc: "2.0", method: "notifications/initialized" }));
  return session;
}

/** Opens a stream, and reads it until the process ends. */
async function openStream(port: number, session: string): Promise<void> {
  const headers = { ...headersOf(session), accept: "text/event-stream" };
  const response = await request(`http://127.0.0.1:${port}/mcp`, { method: "GET", headers, dispatcher: agent });
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${await response.body.text()}`);
  void (async () => {
    for await (const message of readMessages(response.body)) {
      if ((message as { method?: string }).method === "notifications/resources/updated") onNews();
    }
  })();
}

function call(port: number, session: string, name: string, args: object): Promise<Dispatcher.ResponseData> {
  const params = { name, arguments: args };
  return post(port, session, { jsonrpc: "2.0", id: nextId(), method: "tools/call", params });
}

async function post(port: number, session: string | undefined, message: object): Promise<Dispatcher.ResponseData> {
  const response = await request(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      ...(session !== undefined && headersOf(session)),
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify(message),
    dispatcher: agent,
  });
  if (response.statusCode >= 400) throw new Error(`HTTP ${response.statusCode}: ${await response.body.text()}`);
  return response;
}

function headersOf(session: string): Record<string, string> {
  return { "mcp-session-id": session, "mcp-protocol-version": REVISION };
}

async function* readMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator {
  const messages: unknown[] = [];
  const decoder = createEventDecoder({
    event: ({ data }) => void (data !== "" && messages.push(JSON.parse(data))),
    retry() {},
    error: (error) => {
      throw error;
    },
  });
  for await (const piece of body) {
    decoder.push(piece);
    yield* messages.splice(0);
  }
}

async function inBatches(act: (session: string, index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < sessions.length; first += BATCH) {
    await Promise.all(sessions.slice(first, first + BATCH).map((session, index) => act(session, first + index)));
  }
}

function readText({ body }: Dispatcher.ResponseData): Promise<string> {
  return body.text();
}

function nextId(): number {
  lastId += 1;
  return lastId;
}

function withinLimit<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("Not all listeners have heard of a change.")), LIMIT_MS);
    void work.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** The first calls also compile what they take. */
function summarizeTimes(times: readonly number[]): Times {
  const sorted = times.slice(Math.floor(times.length / 10)).toSorted((one, other) => one - other);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), count: sorted.length };
}
