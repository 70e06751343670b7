import { createAdaptorServer } from "@hono/node-server";
import type { Server } from "node:http";
import { toHono, type HonoHandler } from "@toolwire/server/hono";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMetadataHandler } from "@toolwire/server/http";
import { auth, ERAS, METADATA_SERVED, readMetadata, listen, server, tryOut, working } from "./try-out.ts";

function create(options?: Parameters<typeof toHono>[1]): HonoHandler {
  const handler = toHono(server, options);
  onTestFinished(() => handler.close());
  return handler;
}

describe("toHono", () => {
  test.each(ERAS)("serves clients of the %s era.", async (era) => {
    const app = new Hono();
    app.all("/mcp", create());
    const origin = await listen(createAdaptorServer(app) as Server);
    expect(await tryOut(`${origin}/mcp`, era)).toEqual(working(era));
  });

  test.each(ERAS)("serves clients of the %s era after middleware has read the body.", async (era) => {
    const app = new Hono().basePath("/api");
    const seen: unknown[] = [];
    app.use(async (context, next) => {
      if (context.req.method === "POST") seen.push(await context.req.json());
      await next();
    });
    app.all("/mcp", create());
    const origin = await listen(createAdaptorServer(app) as Server);
    expect(await tryOut(`${origin}/api/mcp`, era)).toEqual(working(era));
    expect(seen).toContainEqual(expect.objectContaining({ method: "tools/call" }));
  });

  test("serves the metadata of `auth` beside it.", async () => {
    const app = new Hono();
    const metadata = createMetadataHandler(auth);
    app.all("/mcp", create({ auth }));
    app.all(auth.metadata.path, ({ req }) => metadata.fetch(req.raw));
    expect(await readMetadata(await listen(createAdaptorServer(app) as Server))).toEqual(METADATA_SERVED);
  });

  test("answers requests after it was closed with a 503.", async () => {
    const handler = create();
    const app = new Hono().all("/mcp", handler);
    await handler.close();
    expect((await app.request("http://localhost/mcp", { headers: { host: "localhost" } })).status).toBe(503);
  });
});
