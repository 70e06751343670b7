import { createServer } from "node:http";
import { toExpress, type ExpressHandler } from "@toolwire/server/express";
import express from "express";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMetadataHandler } from "@toolwire/server/http";
import { auth, ERAS, METADATA_SERVED, readMetadata, listen, server, tryOut, working } from "./try-out.ts";

function create(options: Parameters<typeof toExpress>[1] = {}): ExpressHandler {
  const handler = toExpress(server, options);
  onTestFinished(() => handler.close());
  return handler;
}

describe("toExpress", () => {
  test.each(ERAS)("serves clients of the %s era, mounted on a path.", async (era) => {
    const app = express();
    app.use("/mcp", create());
    expect(await tryOut(`${await listen(createServer(app))}/mcp`, era)).toEqual(working(era));
  });

  test.each(ERAS)("serves clients of the %s era after express.json() has read the body.", async (era) => {
    const app = express();
    app.use(express.json());
    app.all("/tools/mcp", create());
    expect(await tryOut(`${await listen(createServer(app))}/tools/mcp`, era)).toEqual(working(era));
  });

  test.each(ERAS)("serves clients of the %s era in a router of a router.", async (era) => {
    const [app, router] = [express(), express.Router()];
    router.use("/mcp", create({ path: "/api/mcp" }));
    app.use("/api", router);
    expect(await tryOut(`${await listen(createServer(app))}/api/mcp`, era)).toEqual(working(era));
  });

  test("serves the metadata of `auth` beside it.", async () => {
    const app = express();
    app.use("/mcp", create({ auth }));
    app.all(auth.metadata.path, createMetadataHandler(auth));
    expect(await readMetadata(await listen(createServer(app)))).toEqual(METADATA_SERVED);
  });

  test("serves the metadata of `auth` itself, mounted at the root.", async () => {
    const app = express();
    app.use(create({ auth, path: "/mcp" }));
    expect(await readMetadata(await listen(createServer(app)))).toEqual(METADATA_SERVED);
  });

  test("answers requests after it was closed with a 503.", async () => {
    const app = express();
    const handler = create();
    app.use("/mcp", handler);
    const url = `${await listen(createServer(app))}/mcp`;
    await tryOut(url, "modern");
    await handler.close();
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect(response.status).toBe(503);
  });
});
