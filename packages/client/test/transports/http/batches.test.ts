import { connect, type ClientDiagnostic, type TransportError } from "@toolwire/client";
import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "./listen.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const REFUSED = "Batches are part of revision 2025-03-26 only";

type Way = (response: ServerResponse, batch: readonly object[]) => void;

const asJson: Way = (response, batch) => sendJson(response, batch);
/** The stream stays open: whoever waits for its end waits in vain. */
const asEvent: Way = (response, batch) => openEvents(response)(batch);

/**
 * A client of a server that puts all answers after the handshake into batches. `standalone` gets hold of the stream of the
 * session, if there is to be one.
 */
async function meetBatches(revision: string, answer: Way, standalone?: (send: (batch: unknown) => void) => void) {
  const { url, seen } = await listen(({ method, message }, response) => {
    const about = { jsonrpc: "2.0", id: message?.id };
    const capabilities = { tools: {} };
    if (method === "GET" && standalone !== undefined) standalone(openEvents(response));
    else if (method === "GET") response.writeHead(405).end();
    else if (message?.id === undefined || message.method === undefined) response.writeHead(202).end();
    else if (message.method === "server/discover") {
      sendJson(response, { ...about, result: { supportedVersions: [revision], capabilities } });
    } else if (message.method === "initialize") {
      sendJson(response, { ...about, result: { protocolVersion: revision, capabilities } });
    } else answer(response, [CHANGED, { ...about, result: { resultType: "complete", content: [] } }]);
  });
  return { ...(await meet(url)), seen };
}

/** The responses of the client to requests of the server. */
function answersIn(seen: readonly Seen[]): unknown[] {
  return seen.map(({ message }) => message).filter((message) => message !== undefined && !("method" in message));
}

/** The same over the HTTP+SSE pair of 2024-11-05, whichever revision is agreed on there. */
async function meetBatchesOfPair(revision: string) {
  let send: (message: unknown) => void;
  const { url } = await listen(({ method, url: path, message }, response) => {
    if (method === "GET") {
      send = openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
      return;
    }
    response.writeHead(path === "/post" ? 202 : 405).end();
    if (path !== "/post" || message?.id === undefined) return;
    const about = { jsonrpc: "2.0", id: message.id };
    if (message.method === "initialize") {
      send({ ...about, result: { protocolVersion: revision, capabilities: { tools: {} } } });
    } else send([CHANGED, { ...about, result: { content: [] } }]);
  });
  return meet(url);
}

async function meet(url: string) {
  const heard: string[] = [];
  const told: ClientDiagnostic[] = [];
  const client = await connect(url, {
    memory: false,
    onNotification: ({ method }) => heard.push(method),
    onDiagnostic: (event) => told.push(event),
  });
  onTestFinished(() => client.close());
  return { client, heard, told };
}

describe.each([
  ["as JSON", asJson],
  ["as an event", asEvent],
] as const)("a batch over HTTP, %s", (_, answer) => {
  test("is taken from a server of 2025-03-26", async () => {
    const { client, heard } = await meetBatches("2025-03-26", answer);
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [] });
    expect(heard).toEqual([CHANGED.method]);
  });

  test.each(["2025-06-18", "2025-11-25", "2026-07-28"])("fails the call at once with %s", async (revision) => {
    const { client, heard, told } = await meetBatches(revision, answer);
    await expect(client.callTool("t")).rejects.toThrow(REFUSED);
    expect(heard).toEqual([]);
    expect(told.map(({ message }) => message)).toContainEqual(expect.stringContaining(REFUSED));
  });
});

describe("batches over HTTP", () => {
  const PING = { jsonrpc: "2.0", id: "p", method: "ping" };

  test.each([
    ["as JSON", asJson],
    ["as an event", asEvent],
  ] as const)("a message in a batch over HTTP is heard behind the response, too, %s", async (_, answer) => {
    const { client, heard, seen } = await meetBatches("2025-03-26", (response, [changed, result]) =>
      answer(response, [result!, changed!, PING]),
    );
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [] });
    expect(heard).toEqual([CHANGED.method]);
    await eventually(() => expect(answersIn(seen)).toEqual([{ jsonrpc: "2.0", id: "p", result: {} }]));
  });

  test("a message in a batch over HTTP asks nobody any more once the client is closed", async () => {
    const roots = vi.fn(() => []);
    const question = { jsonrpc: "2.0", id: "q", method: "roots/list" };
    const { url } = await listen(({ method, message }, response) => {
      const about = { jsonrpc: "2.0", id: message?.id };
      if (method === "GET") response.writeHead(405).end();
      else if (message?.method === "initialize") {
        const result = { protocolVersion: "2025-03-26", capabilities: { tools: {} } };
        sendJson(response, { ...about, result }, 200, { "mcp-session-id": "s" });
      } else if (message?.id === undefined) response.writeHead(202).end();
      else asJson(response, [CHANGED, question, { ...about, result: { content: [] } }]);
    });
    let closing: Promise<void> | undefined;
    const client = await connect(url, {
      memory: false,
      era: "legacy",
      roots,
      onNotification() {
        closing = client.close();
      },
    });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "CLOSED" });
    // Until the server has confirmed the end of the session, there is time enough to ask.
    await closing;
    expect(roots).not.toHaveBeenCalled();
  });

  test("a message in a batch over HTTP may be the response to a request of another stream", async () => {
    const responses: ServerResponse[] = [];
    const batch: object[] = [];
    const { client } = await meetBatches("2025-03-26", (response, [, result]) => {
      responses.push(response);
      batch.push(result!);
      if (batch.length === 2) openEvents(responses[0]!)(batch);
    });
    const calls = Promise.all([client.callTool("a"), client.callTool("b")]);
    await expect(calls).resolves.toMatchObject([{ content: [] }, { content: [] }]);
  });

  test("a message in a batch over HTTP fails with it on the stream of the session, if it is refused", async () => {
    const standalone = withResolvers<(batch: unknown) => void>();
    const answer: Way = (response, batch) => {
      openEvents(response);
      void standalone.promise.then((send) => send(batch));
    };
    const { client, heard } = await meetBatches("2025-11-25", answer, standalone.resolve);
    await expect(client.callTool("t")).rejects.toThrow(REFUSED);
    expect(heard).toEqual([]);
  });

  test("a message in a batch over HTTP fails with it on the stream of another request, if it is refused", async () => {
    const streams: ((batch: unknown) => void)[] = [];
    const { client } = await meetBatches("2025-11-25", (response, batch) => {
      streams.push(openEvents(response));
      if (streams.length === 2) streams[0]!(batch);
    });
    const calls = [client.callTool("a"), client.callTool("b")];
    await expect(Promise.race(calls)).rejects.toThrow(REFUSED);
    await client.close();
    // Which of them the server has met first, only it knows.
    const outcomes = await Promise.all(calls.map((call) => call.catch(({ code }: TransportError) => code)));
    expect(outcomes).toHaveLength(2);
    expect(new Set(outcomes)).toEqual(new Set(["CLOSED", "INVALID_MESSAGE"]));
  });

  test("a message in a batch over HTTP is refused by its id, if it is a request of the server", async () => {
    const { client, seen } = await meetBatches("2025-11-25", (response, batch) => asEvent(response, [PING, ...batch]));
    await expect(client.callTool("t")).rejects.toThrow(REFUSED);
    const error = { code: -32600, message: expect.stringContaining(REFUSED) as string };
    await eventually(() => expect(answersIn(seen)).toEqual([{ jsonrpc: "2.0", id: "p", error }]));
  });
});

describe("a batch over the HTTP+SSE pair", () => {
  test("a batch over the HTTP+SSE pair is taken from a server of 2025-03-26", async () => {
    const { client, heard } = await meetBatchesOfPair("2025-03-26");
    await expect(client.callTool("t")).resolves.toMatchObject({ content: [] });
    expect(heard).toEqual([CHANGED.method]);
  });

  test("a batch over the HTTP+SSE pair fails the call at once with 2024-11-05", async () => {
    const { client, heard } = await meetBatchesOfPair("2024-11-05");
    await expect(client.callTool("t")).rejects.toThrow(REFUSED);
    expect(heard).toEqual([]);
  });
});
