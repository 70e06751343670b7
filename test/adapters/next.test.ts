import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { toNextRoutes } from "@toolwire/server/next";
import { NextRequest } from "next/server.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auth, ERAS, server, tryOut, working } from "./try-out.ts";

/** A server of Next.js takes a while to start and to compile its first route. */
const START_MS = 120_000;

describe("toNextRoutes", () => {
  let child: ChildProcess;
  let origin: string;

  beforeAll(async () => {
    child = spawn(process.execPath, [fileURLToPath(new URL("next-app/start.mjs", import.meta.url))], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
    });
    origin = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout!).on("line", (line) => line.startsWith("http://") && resolve(line));
      child.once("exit", (code) => reject(new Error(`Next.js ended with the code ${code}.`)));
    });
  }, START_MS);

  afterAll(() => void child.kill());

  test.each(ERAS)(
    "serves clients of the %s era in a real server of Next.js.",
    async (era) => {
      expect(await tryOut(`${origin}/mcp`, era)).toEqual(working(era));
    },
    START_MS,
  );

  test(
    "serves the metadata of `auth` as a route of its own.",
    async () => {
      const url = origin + auth.metadata.path;
      const document = await fetch(url);
      expect([document.status, await document.json()]).toMatchObject([200, { resource: expect.any(String) as string }]);
      expect(document.headers.get("access-control-allow-origin")).toBe("*");
      expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
      expect((await fetch(url, { method: "OPTIONS" })).status).toBe(204);
    },
    START_MS,
  );

  test("answers requests after it was closed with a 503.", async () => {
    const { GET, close } = toNextRoutes(server);
    await close();
    const request = new NextRequest("http://localhost/mcp", { headers: { host: "localhost" } });
    expect((await GET(request)).status).toBe(503);
  });
});
