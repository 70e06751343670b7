import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { connect, retry, RpcError, type Client, type ConnectOptions } from "../../src/index.ts";
import { listen, sendJson } from "../transports/http/listen.ts";

const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "legacy", version: "1" },
};

/** How servers write JSON: some put a space before each colon. */
const WRITERS = {
  compact: (value: object) => JSON.stringify(value),
  pretty: (value: object) => JSON.stringify(value, null, 2).replaceAll('":', '" :'),
};
type Writer = keyof typeof WRITERS;

/** How a modern server answers the question that a doubtful error leads to. The silent one shakes hands instead. */
const REDISCOVERIES = ["as before", "busy", "silent"] as const;
type Rediscovery = (typeof REDISCOVERIES)[number];

interface Case {
  readonly era: "modern" | "legacy";
  readonly code: unknown;
  readonly status: number;
  readonly writer: Writer;
  readonly rediscovery: Rediscovery;
  readonly idAs?: (id: unknown) => unknown;
}

/** How often the tool of a server ran that answers calls with this error, and what its callers heard. */
async function callTwice({ era, code, status, writer, rediscovery, idAs = (id) => id }: Case) {
  let runs = 0;
  const { url } = await listen(({ message, method }, response) => {
    const id = message?.id;
    if (method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (message?.method === "server/discover" && era === "modern") {
      if (runs > 0 && rediscovery === "busy") return void response.writeHead(503).end("busy");
      if (runs > 0 && rediscovery === "silent") return;
      return sendJson(response, { jsonrpc: "2.0", id, result: DISCOVERY });
    }
    if (message?.method === "initialize") {
      // Before that, it is asked for by impatience alone.
      if (era === "modern" && runs === 0) return;
      return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
    }
    if (message?.method !== "tools/call") {
      return sendJson(response, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    }
    runs += 1;
    const body = { jsonrpc: "2.0", id: idAs(id), error: { code, message: "declined after reserving" } };
    response.writeHead(status, { "content-type": "application/json" }).end(WRITERS[writer](body));
  });
  const client = await connect(url, { memory: false, probeTimeout: 50, onDiagnostic: () => {} });
  expect(client.era).toBe(era);
  const refusals = [];
  for (let count = 0; count < 2; count++) {
    refusals.push(await client.callTool("pay", {}).catch((error: unknown) => error));
  }
  const eraAfterwards = client.era;
  await client.close();
  return { runs, refusals, eraAfterwards };
}

describe("a call that its server has acted on is sent once, whatever the number of the error", () => {
  const refused = (["compact", "pretty"] as const).flatMap((writer) =>
    [400, 404].flatMap((status) => [String, Number].map((idAs) => ({ status, writer, idAs }))),
  );
  const answered = { status: 200, writer: "compact", idAs: Number } as const;

  it.each([
    ["legacy", -32_020],
    ["legacy", -32_021],
    ["legacy", -32_022],
    ["modern", -32_000],
    ["modern", -32_600],
  ] as const)("%s server, %i", async (era, code) => {
    for (const rediscovery of REDISCOVERIES) {
      for (const how of [answered, ...refused]) {
        const { runs, refusals } = await callTwice({ era, code, rediscovery, ...how });
        expect(runs).toBe(2);
        for (const refusal of refusals) {
          expect(refusal).toBeInstanceOf(RpcError);
          expect(refusal).toMatchObject({ code, message: "declined after reserving" });
        }
      }
    }
  });

  it.each(refused)("modern server, by a malformed error, %j", async (how) => {
    const { runs, refusals } = await callTwice({ era: "modern", code: "E_PAID", rediscovery: "silent", ...how });
    expect(runs).toBe(2);
    for (const refusal of refusals) {
      const message = expect.stringContaining("declined after reserving") as string;
      expect(refusal).toMatchObject({ status: how.status, message });
    }
  });

  it("later calls use the era that the error points to", async () => {
    const how = { status: 400, writer: "compact", rediscovery: "silent" } as const;
    expect(await callTwice({ era: "modern", code: -32_000, ...how })).toMatchObject({ eraAfterwards: "legacy" });
  });
});

describe("a session that its server does not know any more", () => {
  /**
   * Pays once with a server whose second session is the first that it knows, and refuses the others in its own way. `ask` makes
   * the call, if it is another one.
   */
  async function pay(
    refuse: (response: ServerResponse, id: number) => unknown,
    again = false,
    options: ConnectOptions = {},
    ask = (client: Client): Promise<unknown> => client.callTool("pay", {}),
  ) {
    let sessions = 0;
    let refusals = 0;
    const { url } = await listen(({ message, method, headers }, response) => {
      const id = message?.id as number | undefined;
      if (method !== "POST") return void response.writeHead(405).end();
      if (message?.method === "server/discover") return void response.writeHead(404).end();
      if (message?.method === "initialize") {
        response.setHeader("mcp-session-id", `s${++sessions}`);
        return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
      }
      if (id === undefined) return void response.writeHead(202).end();
      const isKnown = headers["mcp-session-id"] === "s2";
      if (isKnown) return sendJson(response, { jsonrpc: "2.0", id, result: { content: [], tools: [] } });
      refusals++;
      return void refuse(response, id);
    });
    const client = await connect(url, { memory: false, ...options });
    const outcome = await ask(client).then(
      () => "done",
      (error: unknown) => error,
    );
    // At once: no call is to fail, or to wait, for want of a session that can be had.
    if (again) await ask(client);
    await client.close();
    return { outcome, sessions, refusals };
  }

  /** The words of the official SDKs, with and without the id of the request, and of older servers of this SDK. */
  const certain: readonly [status: number, body: (id: number) => unknown][] = [
    [404, () => "Session not found"],
    [404, () => "<html>Not Found</html>"],
    [404, () => ({ jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } })],
    [404, (id) => ({ jsonrpc: "2.0", id, error: { code: -32_001, message: "Session not found" } })],
    [
      404,
      (id) => {
        const message = "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`.";
        return { jsonrpc: "2.0", id, error: { code: -32_600, message } };
      },
    ],
    [
      400,
      () => ({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: "Bad Request: Server not initialized" } }),
    ],
    [400, (id) => ({ jsonrpc: "2.0", id, error: { code: -32_000, message: "Bad Request: Server not initialized" } })],
    [400, () => "Bad Request: No valid session ID provided"],
    [401, () => "Unauthorized: Session not found"],
  ];

  it.each(certain)(
    "is opened anew, and the call sent again, where nothing can have run: %i, %o",
    async (status, body) => {
      const { outcome, sessions, refusals } = await pay((response, id) => {
        const text = body(id);
        response.writeHead(status).end(typeof text === "string" ? text : JSON.stringify(text));
      });
      expect(outcome).toBe("done");
      expect({ sessions, refusals }).toEqual({ sessions: 2, refusals: 1 });
    },
  );

  /** Refusals that may mean that a session is gone, and may as well come from a tool that ran. */
  const guesses: readonly [status: number, body: unknown][] = [
    [400, { jsonrpc: "2.0", error: { code: -32_602, message: "Order placed, but field sessionName is unknown" } }],
    [
      400,
      { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "The card was charged, the mail was not sent" } },
    ],
    [400, { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Unknown session" } }],
    [400, { jsonrpc: "2.0", id: "server-error", error: { code: -32_600, message: "No valid session ID provided" } }],
    [400, { error: "Invalid or expired session" }],
    [400, "The shopping session is over: thank you"],
    [401, "booking session not found"],
  ];

  it.each(guesses)(
    "is opened anew on a guess, but what may have run is not sent again: %i, %j",
    async (status, body) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const { outcome, sessions, refusals } = await pay((response) => response.writeHead(status).end(text), true);
      expect({ sessions, refusals }).toEqual({ sessions: 2, refusals: 1 });
      expect(outcome).toMatchObject({
        name: "TransportError",
        code: "SESSION_EXPIRED",
        cause: { name: expect.any(String) },
      });
      const { message } = outcome as Error;
      expect(message).toContain(
        "A new session is open. The call was not sent again, because it may have taken effect.",
      );
      expect(message).toContain("It says: ");
    },
  );

  it.each(guesses)(
    "is opened anew on a guess, and what changes nothing is sent again: %i, %j",
    async (status, body) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const refuse = (response: ServerResponse): unknown => response.writeHead(status).end(text);
      const listed = await pay(refuse, false, {}, (client) => client.listTools());
      expect(listed).toEqual({ outcome: "done", sessions: 2, refusals: 1 });
      const retried = await pay(refuse, false, { middleware: [retry({ tools: ["pay"], delay: 1 })] });
      expect(retried).toEqual({ outcome: "done", sessions: 2, refusals: 1 });
    },
  );

  it("leaves the server's own words to the caller if it cannot be opened anew after a guess", async () => {
    let isOver = false;
    const { url } = await listen(({ message, method }, response) => {
      const id = message?.id;
      if (method !== "POST") return void response.writeHead(405).end();
      if (message?.method === "initialize" && !isOver) {
        return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE }, 200, { "mcp-session-id": "s" });
      }
      if (message?.method === "initialize") return void response.writeHead(503).end();
      if (id === undefined) return void response.writeHead(202).end();
      isOver = true;
      return sendJson(response, { jsonrpc: "2.0", error: { code: -32_000, message: "The card was charged" } }, 400);
    });
    const client = await connect(url, { memory: false, era: "legacy" });
    const paid = client.callTool("pay", {});
    await expect(paid).rejects.toMatchObject({
      code: -32_000,
      message: "The card was charged",
      refusal: { detail: "HTTP status 400" },
    });
    await client.close();
  });

  it("is taken for known if the guess comes again in a new one", async () => {
    let sessions = 0;
    let asked = 0;
    const { url } = await listen(({ message, method }, response) => {
      const id = message?.id;
      if (method !== "POST") return void response.writeHead(405).end();
      if (message?.method === "initialize") {
        return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE }, 200, {
          "mcp-session-id": `s${++sessions}`,
        });
      }
      if (id === undefined) return void response.writeHead(202).end();
      asked++;
      return sendJson(response, { jsonrpc: "2.0", error: { code: -32_602, message: "No session of yours" } }, 400);
    });
    const client = await connect(url, { memory: false, era: "legacy" });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32_602, message: "No session of yours" });
    expect({ sessions, asked }).toEqual({ sessions: 2, asked: 2 });
    await client.close();
  });

  const codes = [-32_602, -32_000, "E_PAID"];
  const ways = (["compact", "pretty"] as const).flatMap((writer) =>
    [Number, String].flatMap((idAs) => codes.map((code) => ({ code, writer, idAs }))),
  );

  it.each(ways)(
    "is not what a server means by 400 that has looked into the call: %j",
    async ({ code, writer, idAs }) => {
      const message = "The payment session is over";
      const { outcome, sessions, refusals } = await pay((response, id) =>
        response.writeHead(400).end(WRITERS[writer]({ jsonrpc: "2.0", id: idAs(id), error: { code, message } })),
      );
      expect(outcome).toMatchObject({ message: expect.stringContaining(message) as string });
      expect({ sessions, refusals }).toEqual({ sessions: 1, refusals: 1 });
    },
  );

  it.each(ways)(
    "is renewed for later calls alone after 404 for a call looked into: %j",
    async ({ code, writer, idAs }) => {
      const message = "The order has shipped, its customer was not found";
      const { outcome, sessions, refusals } = await pay(
        (response, id) =>
          response.writeHead(404).end(WRITERS[writer]({ jsonrpc: "2.0", id: idAs(id), error: { code, message } })),
        true,
      );
      expect(outcome).toMatchObject({ message: expect.stringContaining(message) as string });
      expect({ sessions, refusals }).toEqual({ sessions: 2, refusals: 1 });
    },
  );

  it("is not what a server means that wants other credentials", async () => {
    const { outcome, refusals } = await pay((response) =>
      response.writeHead(401).end("Your session has expired: log in"),
    );
    expect(outcome).toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining('It says: "Your session has expired: log in"') as string,
    });
    expect(refusals).toBe(1);
  });
});
