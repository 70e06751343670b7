import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Client, type ClientDiagnostic } from "@toolwire/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "asking", version: "1" },
};

const QUESTION = {
  jsonrpc: "2.0",
  id: "q1",
  method: "elicitation/create",
  params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
};

/** A legacy server whose tool asks a question, and answers with what it was told. `take` gets the POSTs with answers. */
class AskingServer {
  /** How many POSTs with answers there were. */
  posts = 0;
  cancelled = 0;
  readonly diagnostics: ClientDiagnostic[] = [];
  /** Where the tool asks. */
  asksOn: "call" | "session" = "call";
  #session: ((message: unknown) => void) | undefined;
  #call: ((message: unknown) => void) | undefined;
  #asked: number | undefined;
  readonly #take: (server: AskingServer, response: ServerResponse, request: IncomingMessage) => void;

  constructor(take: (server: AskingServer, response: ServerResponse, request: IncomingMessage) => void) {
    this.#take = take;
  }

  async connect(): Promise<Client> {
    const { url } = await listen((seen, response, request) => this.#answer(seen, response, request));
    const client = await connect(url, {
      era: "legacy",
      memory: false,
      onDiagnostic: (event) => this.diagnostics.push(event),
      elicitation: () => ({ action: "accept", content: {} }),
    });
    onTestFinished(() => client.close());
    return client;
  }

  /** Takes the answer, and answers the call. */
  accept(response: ServerResponse): void {
    response.writeHead(202).end();
    this.finish();
  }

  finish(): void {
    this.#call?.({ jsonrpc: "2.0", id: this.#asked, result: { content: [] } });
  }

  #answer({ method, message }: Seen, response: ServerResponse, request: IncomingMessage): void {
    if (method === "GET") this.#session = openEvents(response);
    else if (method === "DELETE") response.writeHead(200).end();
    else if (message?.method === "initialize") {
      sendJson(response, { jsonrpc: "2.0", id: message.id, result: INITIALIZED }, 200, { "mcp-session-id": "s1" });
    } else if (message?.method === "tools/call") {
      this.#asked = message.id;
      this.#call = openEvents(response);
      (this.asksOn === "call" ? this.#call : this.#session)?.(QUESTION);
    } else if (message?.method === undefined) {
      this.posts++;
      this.#take(this, response, request);
    } else {
      if (message.method === "notifications/cancelled") this.cancelled++;
      response.writeHead(202).end();
    }
  }
}

function breakOff(_: AskingServer, __: ServerResponse, request: IncomingMessage): void {
  request.socket.destroy();
}

describe("an answer to a question of a legacy HTTP server", () => {
  it("an answer to a question of a legacy HTTP server is posted again if its connection breaks", async () => {
    const server = new AskingServer((self, response, request) => {
      if (self.posts === 1) breakOff(self, response, request);
      else self.accept(response);
    });
    const client = await server.connect();
    await expect(client.callTool("ask", {}, { timeout: 5000 })).resolves.toEqual({ content: [] });
    expect(server.posts).toBe(2);
  });

  it.each([429, 502, 503, 504])(
    "an answer to a question of a legacy HTTP server is posted again if the server puts it off with %i",
    async (status) => {
      const server = new AskingServer((self, response) => {
        if (self.posts === 1) response.writeHead(status).end();
        else self.accept(response);
      });
      const client = await server.connect();
      await expect(client.callTool("ask", {}, { timeout: 5000 })).resolves.toEqual({ content: [] });
      expect(server.posts).toBe(2);
    },
  );

  it("an answer to a question of a legacy HTTP server fails the call that it was asked for if it cannot be delivered", async () => {
    const server = new AskingServer(breakOff);
    const client = await server.connect();
    await expect(client.callTool("ask", {}, { timeout: 20_000 })).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("answer to a question of the server could not be delivered") as string,
      cause: { code: "CONNECTION_LOST" },
    });
    expect(server.posts).toBe(4);
    await eventually(() => expect(server.cancelled).toBe(1));
  });

  it.each([401, 413])(
    "an answer to a question of a legacy HTTP server fails the call that it was asked for at once if it is refused with %i",
    async (status) => {
      const server = new AskingServer((_, response) => response.writeHead(status).end());
      const client = await server.connect();
      await expect(client.callTool("ask", {}, { timeout: 20_000 })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
      expect(server.posts).toBe(1);
    },
  );

  it("an answer to a question of a legacy HTTP server leaves the call to a server that does not want it any more, and reports that", async () => {
    const server = new AskingServer((self, response) => {
      response.writeHead(400).end("Nothing was asked");
      self.finish();
    });
    const client = await server.connect();
    await expect(client.callTool("ask", {}, { timeout: 5000 })).resolves.toEqual({ content: [] });
    await eventually(() =>
      expect(server.diagnostics).toContainEqual(
        expect.objectContaining({ error: expect.objectContaining({ code: "NOT_ACKNOWLEDGED" }) as unknown }),
      ),
    );
    expect(server.posts).toBe(1);
  });

  it("an answer to a question of a legacy HTTP server counts as delivered if the server has no more use for it at the second time", async () => {
    const server = new AskingServer((self, response, request) => {
      if (self.posts === 1) breakOff(self, response, request);
      else {
        response.writeHead(400).end("Nothing was asked");
        self.finish();
      }
    });
    const client = await server.connect();
    await expect(client.callTool("ask", {}, { timeout: 5000 })).resolves.toEqual({ content: [] });
    expect(server.posts).toBe(2);
  });

  it("an answer to a question of a legacy HTTP server is reported if it cannot be delivered and no call is known that it was asked for", async () => {
    const server = new AskingServer(breakOff);
    server.asksOn = "session";
    const client = await server.connect();
    const stop = new AbortController();
    const call = client.callTool("ask", {}, { timeout: 20_000, signal: stop.signal });
    await eventually(() =>
      expect(server.diagnostics).toContainEqual(
        expect.objectContaining({ error: expect.objectContaining({ code: "NOT_ACKNOWLEDGED" }) as unknown }),
      ),
    );
    expect(server.posts).toBe(4);
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  it("an answer to a question of a legacy HTTP server is posted no more once nobody waits for the call that it was asked for", async () => {
    const stop = new AbortController();
    const server = new AskingServer((self, response, request) => {
      breakOff(self, response, request);
      stop.abort(new Error("enough"));
    });
    const client = await server.connect();
    await expect(client.callTool("ask", {}, { timeout: 20_000, signal: stop.signal })).rejects.toThrow("enough");
    await client.close();
    expect(server.posts).toBe(1);
  });
});
