import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { connect, RpcError } from "../../src/index.ts";
import { listen, sendJson } from "../http/listen.ts";

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

/** What a modern server says to the question that a doubtful error leads to. The one that is silent shakes hands instead. */
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

  it.each(refused)("modern server, by an error that is none, %j", async (how) => {
    const { runs, refusals } = await callTwice({ era: "modern", code: "E_PAID", rediscovery: "silent", ...how });
    expect(runs).toBe(2);
    for (const refusal of refusals) {
      const message = expect.stringContaining("declined after reserving") as string;
      expect(refusal).toMatchObject({ status: how.status, message });
    }
  });

  it("but what is said of the era is heeded by later calls", async () => {
    const how = { status: 400, writer: "compact", rediscovery: "silent" } as const;
    expect(await callTwice({ era: "modern", code: -32_000, ...how })).toMatchObject({ eraAfterwards: "legacy" });
  });
});

describe("a session that its server does not know any more", () => {
  /** Pays once with a server whose second session is the first that it knows, and refuses the others in its own way. */
  async function pay(refuse: (response: ServerResponse, id: number) => unknown, again = false) {
    let sessions = 0;
    let refusals = 0;
    let renewed: (() => void) | undefined;
    const renewal = new Promise<void>((resolve) => (renewed = resolve));
    const { url } = await listen(({ message, method, headers }, response) => {
      const id = message?.id as number | undefined;
      if (method !== "POST") return void response.writeHead(405).end();
      if (message?.method === "server/discover") return void response.writeHead(404).end();
      if (message?.method === "initialize") {
        response.setHeader("mcp-session-id", `s${++sessions}`);
        if (sessions === 2) renewed?.();
        return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
      }
      if (id === undefined) return void response.writeHead(202).end();
      const isKnown = headers["mcp-session-id"] === "s2";
      if (isKnown) return sendJson(response, { jsonrpc: "2.0", id, result: { content: [] } });
      refusals++;
      return void refuse(response, id);
    });
    const client = await connect(url, { memory: false });
    const outcome = await client.callTool("pay", {}).then(
      () => "done",
      (error: unknown) => error,
    );
    if (again) {
      await renewal;
      await client.callTool("pay", {});
    }
    await client.close();
    return { outcome, sessions, refusals };
  }

  it.each([
    [404, "Session not found"],
    [400, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "Bad Request: Server not initialized" } }],
    [400, { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Unknown session" } }],
    [400, { jsonrpc: "2.0", id: "server-error", error: { code: -32_600, message: "No valid session ID provided" } }],
    [400, { error: "Invalid or expired session" }],
    [400, "Bad Request: No valid session ID provided"],
    [401, "Unauthorized: Session not found"],
  ])("is opened anew, also if that is said by %i and %j", async (status, body) => {
    const { outcome, sessions } = await pay((response) =>
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
    );
    expect(outcome).toBe("done");
    expect(sessions).toBe(2);
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
