import { connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { z } from "zod";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";

/** A server that asks the user for a name, once for each call. */
const server = createServer({
  name: "greeter",
  version: "1.0.0",
  tools: {
    greet: tool({
      description: "Greets",
      async run(_, ctx) {
        const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello ${name}`;
      },
    }),
    pay: tool({
      description: "Sends to a page",
      async run(_, ctx) {
        await ctx.elicit("page", { message: "Pay here", url: "https://example.com/pay" });
      },
    }),
    session: tool({ description: "Names the session", run: (_, ctx) => ctx.header("mcp-session-id") }),
  },
});

test.each(["modern", "legacy"] as const)(
  "%s: questions over HTTP tell on behalf of which call they are",
  async (era) => {
    await using serving = await serveHttp(server, { port: 0 });
    await using client = await connect(serving.url, {
      era,
      elicitation(_, { request }) {
        const params = request?.params as { readonly _meta: { readonly "example.com/user": string } } | undefined;
        return { action: "accept", content: { name: `${request?.method} ${params?._meta["example.com/user"]}` } };
      },
    });
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
    const greetings = users.map((user) => client.callTool("greet", {}, { _meta: { "example.com/user": user } }));
    const texts = (await Promise.all(greetings)).map(({ content }) => content);
    expect(texts).toEqual(users.map((user) => [{ type: "text", text: `Hello tools/call ${user}` }]));
  },
);

test("a call that needs what the client cannot answer leaves the session, and what others were asked in it, alone", async () => {
  await using serving = await serveHttp(server, { port: 0 });
  const asked = withResolvers<undefined>();
  const refused = withResolvers<undefined>();
  await using client = await connect(serving.url, {
    era: "legacy",
    async elicitation() {
      asked.resolve(undefined);
      await refused.promise;
      return { action: "accept", content: { name: "Ada" } };
    },
  });
  const session = await client.callTool("session");
  const greeting = client.callTool("greet");
  await asked.promise;
  await expect(client.callTool("pay")).rejects.toMatchObject({ code: -32021 });
  expect(await client.callTool("session")).toEqual(session);
  refused.resolve(undefined);
  expect((await greeting).content).toEqual([{ type: "text", text: "Hello Ada" }]);
});

/** A legacy server whose sessions have no stream of their own. `answer` gets all requests but those for one and the handshake. */
function listenWithoutStream(
  answer: (seen: Seen, response: ServerResponse) => void,
  headersOfSession: () => Record<string, string> = () => ({}),
): ReturnType<typeof listen> {
  return listen((seen, response) => {
    const { method, message } = seen;
    if (method === "GET") response.writeHead(405).end();
    else if (message?.method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
      sendJson(response, { jsonrpc: "2.0", id: message.id, result }, 200, headersOfSession());
    } else answer(seen, response);
  });
}

test("a server that asks far too much at once is answered over a few connections at a time", async () => {
  const held: ServerResponse[] = [];
  let answered = 0;
  let isPatient = true;
  const { url } = await listenWithoutStream(({ message }, response) => {
    const about = { jsonrpc: "2.0", id: message?.id };
    if (message?.method === "tools/call") {
      const send = openEvents(response);
      // Half of what it asks is no request.
      for (let id = 0; id < 300; id++) {
        send({ jsonrpc: "2.0", id: `q${id}`, method: "ping", ...(id % 2 && { params: 1 }) });
      }
      send({ ...about, result: { content: [] } });
    } else if (message?.method === undefined && isPatient) held.push(response);
    else {
      if (message?.method === undefined) answered++;
      response.writeHead(202).end();
    }
  });
  await using client = await connect(url, { era: "legacy", memory: false });
  await client.callTool("t");
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(64));
  await client.notify("notifications/roots/list_changed");
  expect(held).toHaveLength(64);
  isPatient = false;
  for (const response of held) response.writeHead(202).end();
  await eventually(() => expect(held.length + answered).toBe(300));
});

test("a request of a session that is gone is not asked any more, and its answer goes to no other session", async () => {
  const answers: unknown[] = [];
  const withdrawn = withResolvers<void>();
  const late = withResolvers<[]>();
  let sessions = 0;
  const { url } = await listenWithoutStream(
    ({ headers, message }, response) => {
      const about = { jsonrpc: "2.0", id: message?.id };
      const isStale = headers["mcp-session-id"] === "s1" && message?.params?.["name"] === "second";
      if (isStale) response.writeHead(404).end();
      else if (message?.method === "tools/call") {
        const send = openEvents(response);
        send({ jsonrpc: "2.0", id: 1, method: "roots/list" });
        if (message.params?.["name"] === "second") send({ ...about, result: { content: [] } });
      } else {
        if (message !== undefined && message.method === undefined) answers.push([headers["mcp-session-id"], message]);
        response.writeHead(202).end();
      }
    },
    () => ({ "mcp-session-id": `s${++sessions}` }),
  );
  const asked = withResolvers<void>();
  let questions = 0;
  await using client = await connect(url, {
    era: "legacy",
    memory: false,
    roots({ signal }) {
      if (++questions > 1) return [];
      signal.addEventListener("abort", () => withdrawn.resolve());
      asked.resolve();
      return late.promise;
    },
  });
  client.callTool("first").catch(() => {});
  await asked.promise;
  await client.callTool("second");
  await withdrawn.promise;
  late.resolve([]);
  await eventually(() => expect(answers).toHaveLength(1));
  await client.notify("notifications/roots/list_changed");
  expect(answers).toEqual([["s2", { jsonrpc: "2.0", id: 1, result: { roots: [] } }]]);
});

test.each(["given up", "lost"])("the user is not asked any more on behalf of a call that is %s", async (how) => {
  const { url } = await listenWithoutStream(({ message }, response) => {
    if (message?.method === "tools/call") {
      openEvents(response)({ jsonrpc: "2.0", id: "q", method: "roots/list" });
      calls.push(response);
    } else response.writeHead(202).end();
  });
  const calls: ServerResponse[] = [];
  const asked = withResolvers<void>();
  const withdrawn = withResolvers<void>();
  await using client = await connect(url, {
    era: "legacy",
    memory: false,
    roots({ signal }) {
      signal.addEventListener("abort", () => withdrawn.resolve());
      asked.resolve();
      return new Promise<[]>(() => {});
    },
  });
  const stop = new AbortController();
  const call = client.callTool("t", {}, { signal: stop.signal });
  await asked.promise;
  if (how === "lost") calls[0]?.destroy();
  else stop.abort();
  await expect(call).rejects.toBeInstanceOf(Error);
  await withdrawn.promise;
});

describe("a server that asks on, but takes no answers,", () => {
  const pings = (from: number) =>
    Array.from({ length: 100 }, (_, index) => {
      const ping = { jsonrpc: "2.0", id: `p${from + index}`, method: "ping" };
      return `data: ${JSON.stringify(ping)}\n\n`;
    }).join("");

  /** Writes until the other side is gone. */
  function flood(response: ServerResponse): void {
    openEvents(response);
    let asked = 0;
    const ask = (): void => {
      while (!response.closed && response.write(pings((asked += 100))));
      if (!response.closed) response.once("drain", ask);
    };
    ask();
  }

  test("a server that asks on, but takes no answers, is heard no more on the stream of its session", async () => {
    const gone = withResolvers<undefined>();
    const told = withResolvers<unknown>();
    const { url } = await listen(({ method, message }, response) => {
      const about = { jsonrpc: "2.0", id: message?.id };
      if (method === "GET") {
        response.once("close", () => gone.resolve(undefined));
        flood(response);
      } else if (message?.method === "initialize") {
        sendJson(response, { ...about, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } });
      } else if (message?.method === "notifications/initialized") response.writeHead(202).end();
      else if (message?.method !== undefined) sendJson(response, { ...about, result: { content: [] } });
    });
    await using client = await connect(url, {
      era: "legacy",
      memory: false,
      onDiagnostic: ({ error }) => told.resolve(error),
    });
    await gone.promise;
    await expect(told.promise).resolves.toMatchObject({ code: "NO_STREAM", cause: { code: "OVERLOADED" } });
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  });

  test("a server that asks on, but takes no answers, loses the call on whose stream it does so", async () => {
    const { url } = await listenWithoutStream(({ message }, response) => {
      if (message?.method === "tools/call") flood(response);
      else if (message?.method !== undefined) response.writeHead(202).end();
    });
    await using client = await connect(url, { era: "legacy", memory: false });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "OVERLOADED" });
  });

  test("a server that asks on, but takes no answers, loses its connection, if that is an HTTP+SSE pair", async () => {
    const { url } = await listen(({ method, url: path, message }, response) => {
      if (method === "GET") {
        stream = response;
        openEvents(response);
        response.write("event: endpoint\ndata: /post\n\n");
      } else if (path !== "/post") response.writeHead(405).end();
      else if (message?.method === "initialize") {
        const result = { protocolVersion: "2024-11-05", capabilities: { tools: {} } };
        stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`);
        response.writeHead(202).end();
      } else if (message?.method === "notifications/initialized") response.writeHead(202).end();
      else if (message?.method === "tools/call") {
        response.writeHead(202).end();
        for (let from = 0; from < 3000; from += 100) stream?.write(pings(from));
      }
    });
    let stream: ServerResponse | undefined;
    await using client = await connect(url, { memory: false, reconnect: false });
    const call = client.callTool("t");
    await expect(call).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect(client.closed).resolves.toMatchObject({ cause: { code: "OVERLOADED" } });
  });
});
