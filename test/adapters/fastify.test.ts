import { connect } from "@toolwire/client";
import { toFastify } from "@toolwire/server/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMetadataHandler } from "@toolwire/server/http";
import { auth, ERAS, METADATA_SERVED, readMetadata, server, tryOut, working } from "./try-out.ts";

async function start(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: "127.0.0.1" });
}

describe("toFastify", () => {
  test.each(ERAS)("serves clients of the %s era at the prefix of the plugin.", async (era) => {
    const app = fastify();
    await app.register(toFastify(server), { prefix: "/mcp" });
    expect(await tryOut(`${await start(app)}/mcp`, era)).toEqual(working(era));
  });

  test.each(ERAS)("serves clients of the %s era within another plugin.", async (era) => {
    const app = fastify();
    const api = async (instance: FastifyInstance): Promise<void> => {
      await instance.register(toFastify(server), { prefix: "/mcp" });
    };
    await app.register(api, { prefix: "/api" });
    expect(await tryOut(`${await start(app)}/api/mcp`, era)).toEqual(working(era));
  });

  test("serves the metadata of `auth` beside it.", async () => {
    const app = fastify();
    await app.register(toFastify(server, { auth }), { prefix: "/mcp" });
    const metadata = createMetadataHandler(auth);
    app.all(auth.metadata.path, (request, reply) => {
      reply.hijack();
      metadata(request.raw, reply.raw);
    });
    expect(await readMetadata(await start(app))).toEqual(METADATA_SERVED);
  });

  test("leaves the bodies of other routes to Fastify.", async () => {
    const app = fastify();
    await app.register(toFastify(server), { prefix: "/mcp" });
    app.post("/echo", (request) => request.body);
    const response = await fetch(`${await start(app)}/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"parsed":true}',
    });
    expect(await response.json()).toEqual({ parsed: true });
  });

  test("keeps headers that hooks have set.", async () => {
    const app = fastify();
    app.addHook("onRequest", async (_request, reply) => void reply.header("x-hook", "kept"));
    await app.register(toFastify(server), { prefix: "/mcp" });
    const response = await fetch(`${await start(app)}/mcp`, { method: "DELETE" });
    expect([response.status >= 400, response.headers.get("x-hook")]).toEqual([true, "kept"]);
  });

  test("answers a body that is not JSON itself, and not through Fastify.", async () => {
    const app = fastify();
    await app.register(toFastify(server), { prefix: "/mcp" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(`${await start(app)}/mcp`, { method: "POST", headers, body: "{" });
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
  });

  test("ends the streams of clients that stay when the instance is closed.", async () => {
    const app = fastify();
    await app.register(toFastify(server), { prefix: "/mcp" });
    await using client = await connect(`${await start(app)}/mcp`, { era: "legacy", reconnect: false });
    expect(client.era).toBe("legacy");
    await app.close();
    await expect(client.callTool("count", { to: 1 })).rejects.toMatchObject({
      code: expect.stringMatching(/CLOSED|CONNECT/),
    });
  });
});
