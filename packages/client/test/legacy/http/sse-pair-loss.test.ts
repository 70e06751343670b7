import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { openEvents, sendJson } from "../../transports/http/listen.ts";

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const INITIALIZED = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};

/** A server of 2024-11-05 that has a session for each stream, can forget it, and can stop listening while streams stay open. */
class PairServer {
  sessions = 0;
  /** The tools that were called, in order. */
  readonly called: string[] = [];
  /** The tools that were called and are not answered by themselves. */
  readonly held = new Map<string, () => void>();
  readonly streams: ServerResponse[] = [];
  /** Answers a POST in place of the server, if it returns true. */
  intercept: (asked: Asked, response: ServerResponse) => boolean = () => false;
  #http = this.#create();
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/sse`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
    const http = this.#http;
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
  }

  /** No more connections are accepted; streams stay open. */
  stopListening(): void {
    this.#http.close();
    this.#http.closeIdleConnections();
  }

  /** Another process at the same port, which knows no session. */
  async restart(): Promise<void> {
    this.sessions++;
    this.#http = this.#create();
    await this.start();
  }

  #create(): ReturnType<typeof createServer> {
    return createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        if (request.method === "GET") this.#open(response);
        else if (request.url === "/sse") response.writeHead(405).end();
        else this.#take(request.url ?? "", JSON.parse(body) as Asked, response);
      });
    });
  }

  #open(response: ServerResponse): void {
    this.sessions++;
    this.streams.push(response);
    openEvents(response);
    response.write(`event: endpoint\ndata: /post?session=${this.sessions}\n\n`);
  }

  #take(url: string, asked: Asked, response: ServerResponse): void {
    if (this.intercept(asked, response)) return;
    if (url !== `/post?session=${this.sessions}`) {
      response.writeHead(404).end("There is no such session");
      return;
    }
    response.writeHead(202).end();
    const stream = this.streams.at(-1)!;
    const reply = (result: object): void =>
      void stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: asked.id, result })}\n\n`);
    if (asked.method === "initialize") reply(INITIALIZED);
    if (asked.method !== "tools/call") return;
    const name = asked.params?.name ?? "";
    this.called.push(name);
    if (name === "slow") this.held.set(name, () => reply({ content: [] }));
    else reply({ content: [] });
  }
}

async function open(options: ConnectOptions = {}): Promise<{ server: PairServer; client: Client }> {
  const server = new PairServer();
  await server.start();
  const client = await connect(server.url, {
    memory: false,
    onDiagnostic: () => {},
    reconnect: { delay: 1, maxDelay: 20 },
    ...options,
  });
  onTestFinished(() => client.close());
  return { server, client };
}

/** Calls the tool that does not answer by itself. Resolves when the server has the call. */
async function callSlowly({
  server,
  client,
}: {
  server: PairServer;
  client: Client;
}): Promise<{ call: Promise<unknown> }> {
  const call = client.callTool("slow", {}).catch((error: unknown) => error);
  await eventually(() => expect(server.held.has("slow")).toBe(true));
  return { call };
}

describe("a message that cannot be sent over HTTP+SSE because the server takes no more connections", () => {
  it("a message that cannot be sent over HTTP+SSE because the server takes no more connections lets answers under way arrive, and is sent over the next connection", async () => {
    const { server, client } = await open();
    const slow = await callSlowly({ server, client });
    server.stopListening();
    const quick = client.callTool("quick", {});
    await expect(Promise.race([quick, new Promise((resolve) => setImmediate(resolve, "waits"))])).resolves.toBe(
      "waits",
    );
    server.held.get("slow")?.();
    await expect(slow.call).resolves.toEqual({ content: [] });
    await server.restart();
    server.streams[0]!.destroy();
    await expect(quick).resolves.toEqual({ content: [] });
    expect(server.called).toEqual(["slow", "quick"]);
  });

  it("a message that cannot be sent over HTTP+SSE because the server takes no more connections does not tell other calls that they were not sent", async () => {
    const { server, client } = await open();
    const slow = await callSlowly({ server, client });
    server.stopListening();
    const quick = client.callTool("quick", {});
    // The stream is not ended, and no answer comes.
    await expect(slow.call).resolves.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("because a message could not be delivered") as string,
      cause: { code: "CONNECT_FAILED" },
    });
    await server.restart();
    await expect(quick).resolves.toEqual({ content: [] });
    expect(server.called).toEqual(["slow", "quick"]);
  });

  it("a message that cannot be sent over HTTP+SSE because the server takes no more connections says that it was not sent, if there is no next connection", async () => {
    const { server, client } = await open({ reconnect: false });
    const slow = await callSlowly({ server, client });
    server.stopListening();
    await expect(client.callTool("quick", {})).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("not sent") as string,
    });
    await expect(slow.call).resolves.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.not.stringContaining("not sent") as string,
    });
  });
});

describe("a request over HTTP+SSE that the server refuses", () => {
  it.each([401, 403, 429, 500, 503])(
    "a message refused with %i fails alone, and answers under way still arrive",
    async (status) => {
      const { server, client } = await open();
      const slow = await callSlowly({ server, client });
      server.intercept = ({ params }, response) => {
        if (params?.name !== "refused") return false;
        response.writeHead(status).end("The server is shutting down.");
        return true;
      };
      const refused = client.callTool("refused", {}).catch((error: unknown) => error);
      expect(String(await refused)).toMatch(/shutting down/);
      server.held.get("slow")?.();
      await expect(slow.call).resolves.toEqual({ content: [] });
      expect(server.sessions).toBe(1);
    },
  );

  it("is sent again over a new connection if the server does not know its session", async () => {
    const { server, client } = await open();
    const slow = await callSlowly({ server, client });
    // The stream of before is still open: nobody has noticed that its server is gone.
    server.sessions++;
    await expect(client.callTool("quick", {})).resolves.toEqual({ content: [] });
    await expect(slow.call).resolves.toMatchObject({ code: "CONNECTION_LOST", cause: { code: "SESSION_EXPIRED" } });
    expect(server.called).toEqual(["slow", "quick"]);
  });

  it("fails when each of the next sessions is forgotten, too", async () => {
    const { server, client } = await open();
    let refusals = 0;
    server.intercept = ({ method }, response) => {
      if (method !== "tools/call") return false;
      refusals++;
      response.writeHead(404).end("Session not found");
      return true;
    };
    await expect(client.callTool("quick", {})).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    expect(refusals).toBe(4);
  });

  it("a request refused with 404 in words that name it fails alone", async () => {
    const { server, client } = await open();
    server.intercept = ({ id, params }, response) => {
      if (params?.name !== "missing") return false;
      sendJson(response, { jsonrpc: "2.0", id, error: { code: -32_602, message: "no such tool" } }, 404);
      return true;
    };
    await expect(client.callTool("missing", {})).rejects.toMatchObject({ status: 404 });
    await expect(client.callTool("quick", {})).resolves.toEqual({ content: [] });
    expect(server.sessions).toBe(1);
  });

  it("is sent again only if that does no harm, where the words may be about the session", async () => {
    const { server, client } = await open({ cache: false });
    let guesses = 0;
    server.intercept = ({ method }, response) => {
      if (method !== "tools/call" || guesses++ > 0) return false;
      response.writeHead(400).end("Something about a session");
      return true;
    };
    await expect(client.callTool("quick", {})).rejects.toMatchObject({
      code: "SESSION_EXPIRED",
      cause: { status: 400 },
    });
    await expect(client.callTool("quick", {})).resolves.toEqual({ content: [] });
    expect(server.sessions).toBe(2);
  });
});

it("requests over HTTP+SSE that wait for their turn when the connection is lost are sent over the next one", async () => {
  const { server, client } = await open();
  const unacknowledged: ServerResponse[] = [];
  server.intercept = ({ params }, response) => {
    if (params?.name !== "stuck") return false;
    unacknowledged.push(response);
    return true;
  };
  const stuck = Array.from({ length: 64 }, () => client.callTool("stuck", {}).catch((error: unknown) => error));
  await eventually(() => expect(unacknowledged).toHaveLength(64));
  const waiting = client.callTool("quick", {});
  server.streams[0]!.destroy();
  for (const error of await Promise.all(stuck)) expect(error).toMatchObject({ code: "CONNECTION_LOST" });
  await expect(waiting).resolves.toEqual({ content: [] });
  expect(server.called).toEqual(["quick"]);
});
