import { UsageError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { createHttpHandler } from "../../../src/http.ts";
import { createMemoryEngine } from "../../../src/cluster/index.ts";
import { BOTH, Events, initialize, LegacyClient, post, readJson } from "../../bindings/http/client.ts";
import { createFixture, type Fixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS } from "../../bindings/http/platforms.ts";

const KEY = "k".repeat(32);
const SEALED = { legacy: { sessions: { sealed: true } } } as const;

/** The fixture with a tool that says what it knows of its client, and the key of all processes. */
function createSealing(options: Parameters<typeof createFixture>[0] = {}): Fixture {
  const self = tool({
    run: (_args, { clientInfo, clientCapabilities, revision }) =>
      JSON.stringify({ clientInfo, clientCapabilities, revision }),
  });
  const asks = tool({ run: async (_args, ctx) => ctx.elicit("q", { message: "?", schema: NAME }).then(() => "") });
  const chat = tool({
    run(_args, ctx) {
      ctx.log("error", "said");
      ctx.progress(1, 2);
      return Promise.resolve("done");
    },
  });
  return createFixture({ stateKey: KEY, tools: { self, asks, chat }, ...options });
}

const NAME = { type: "object", properties: { name: { type: "string" } } } as const;

const textOf = async (response: Response): Promise<string> => {
  const { result } = await readJson(response);
  const [content] = (result?.["content"] ?? []) as { text: string }[];
  return content?.text ?? "";
};

describe.each(PLATFORMS)("a sealed session on $name", ({ serve }) => {
  test("is served by any process with the same key, with all that its client has said", async () => {
    const [first, second] = [await serve(SEALED, createSealing()), await serve(SEALED, createSealing())];
    const { session } = await LegacyClient.open(first);
    for (const target of [second, second, first]) {
      const headers = { accept: BOTH, "mcp-session-id": session };
      const response = await target.send(
        post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "self" } }, headers),
      );
      expect(JSON.parse(await textOf(response))).toEqual({
        clientInfo: { name: "test", version: "1" },
        clientCapabilities: {},
        revision: "2025-11-25",
      });
    }
  });

  test("promises nothing that takes a server with a memory", async () => {
    const target = await serve(SEALED, createSealing());
    const response = await target.send(post(initialize(), { accept: BOTH }));
    expect((await readJson(response)).result?.["capabilities"]).toEqual({ tools: {}, resources: {} });
  });

  test("has no streams of its own, and cannot be ended", async () => {
    const target = await serve(SEALED, createSealing());
    const client = await LegacyClient.open(target);
    expect([(await client.get()).status, (await client.delete()).status]).toEqual([405, 405]);
  });

  test("is refused a log level, and told why", async () => {
    const target = await serve(SEALED, createSealing());
    const client = await LegacyClient.open(target);
    const { error } = await readJson(await client.request("logging/setLevel", { level: "debug" }));
    expect([error?.code, error?.message]).toEqual([-32601, expect.stringContaining("legacy.sessions.sealed")]);
  });

  test("cannot be asked: the call fails at once, and says why", async () => {
    const target = await serve(SEALED, createSealing());
    const client = await LegacyClient.open(target);
    const { error } = await readJson(await client.call("asks"));
    expect(error?.message).toContain("legacy.sessions.sealed");
  });

  test("gets progress, but no log messages, which were not promised", async () => {
    const target = await serve(SEALED, createSealing());
    const client = await LegacyClient.open(target);
    const params = { name: "chat", _meta: { progressToken: 7 } };
    const messages = await new Events(await client.request("tools/call", params)).rest();
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(["notifications/progress", 2]);
  });

  test("is unknown to a server of another name or key, and to other callers", async () => {
    const authenticate = ({ header }: { header(name: string): string | undefined }): { id: string } => ({
      id: header("authorization") ?? "nobody",
    });
    const options = { ...SEALED, authenticate };
    const target = await serve(options, createSealing());
    const { session } = await LegacyClient.open(target, "2025-11-25", { authorization: "ada" });
    const call = async (at: typeof target, authorization: string): Promise<number> => {
      const headers = { accept: BOTH, "mcp-session-id": session, authorization };
      return (await at.send(post({ jsonrpc: "2.0", id: 1, method: "ping" }, headers))).status;
    };
    expect(await call(target, "ada")).toBe(200);
    expect(await call(target, "eve")).toBe(404);
    expect(await call(await serve(options, createSealing()), "eve")).toBe(404);
    expect(await call(await serve(options, createSealing({ name: "other" })), "ada")).toBe(404);
    expect(await call(await serve(options, createSealing({ stateKey: "x".repeat(32) })), "ada")).toBe(404);
    // A key that was replaced still opens, as long as it is listed.
    expect(await call(await serve(options, createSealing({ stateKey: ["x".repeat(32), KEY] })), "ada")).toBe(200);
  });

  test("ends after its time", async () => {
    const legacy = { sessions: { sealed: true, maxAge: 1 } } as const;
    const target = await serve({ legacy }, createSealing());
    const response = await target.send(post(initialize(), { accept: BOTH }));
    const headers = { accept: BOTH, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
    await response.text();
    let status = 200;
    while (status === 200) {
      status = (await target.send(post({ jsonrpc: "2.0", id: 1, method: "ping" }, headers))).status;
    }
    expect(status).toBe(404);
  });

  test("has an id that fits into a header, whatever its client says about itself", async () => {
    const target = await serve(SEALED, createSealing());
    const clientInfo = { name: "ü".repeat(100), version: "1", title: "ü".repeat(1900), vendor: "x".repeat(3000) };
    const capabilities = { experimental: { text: { text: "ü".repeat(4000) } }, elicitation: {} };
    const params = { protocolVersion: "2025-11-25", clientInfo, capabilities };
    const response = await target.send(post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, { accept: BOTH }));
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")?.length).toBeLessThan(3800);
    const refused = { ...params, clientInfo: { name: "x".repeat(3000), version: "1" } };
    const answer = await readJson(
      await target.send(post({ jsonrpc: "2.0", id: 1, method: "initialize", params: refused }, { accept: BOTH })),
    );
    expect(answer.error?.message).toContain("`clientInfo.name` is too long");
  });

  test("may send batches, if its revision has them", async () => {
    const target = await serve(SEALED, createSealing());
    const client = await LegacyClient.open(target, "2025-03-26");
    const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });
    expect(await (await client.send([ping(1), ping(2)])).json()).toHaveLength(2);
    const later = await LegacyClient.open(target);
    expect((await later.send([ping(1)])).status).toBe(400);
  });
});

describe("the option for sealed sessions", () => {
  const plain = createServer({ name: "plain", version: "1" });

  test("takes a key that all processes know", () => {
    expect(() => createHttpHandler(plain, SEALED)).toThrow(/`stateKey`/);
    expect(() => createHttpHandler(plain, SEALED)).toThrow(UsageError);
  });

  test("goes without a cluster", () => {
    const cluster = createMemoryEngine().connect();
    const sealing = createServer({ name: "sealing", version: "1", stateKey: KEY });
    expect(() => createHttpHandler(sealing, { ...SEALED, cluster })).toThrow(/leave one out/);
  });

  test("has no limits of sessions that are kept", () => {
    const options = { legacy: { sessions: { sealed: true, max: 5 } } } as never;
    expect(() => createHttpHandler(plain, options)).toThrow(/max/);
  });
});
