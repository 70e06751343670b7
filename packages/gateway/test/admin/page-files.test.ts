/** The files of the page, as browsers get them. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPageServer } from "../../src/admin/page-files.ts";

/** Serves a page of two files. Returns the URL. */
async function servePage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-page-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Page</title>");
  await writeFile(join(folder, "assets", "main-1a2b.js"), "console.log(1);");
  await writeFile(join(folder, "notes.txt"), "not a part of the page");
  const serve = createPageServer(folder);
  const server = createServer((request, response) => {
    try {
      serve(request, response);
    } catch (error) {
      response.writeHead((error as { status: number }).status).end();
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("each file has the type that browsers need to use it, and may be kept if its name changes with its contents", async () => {
  const url = await servePage();
  const page = await fetch(`${url}/`);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const script = await fetch(`${url}/assets/main-1a2b.js`);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect((await fetch(`${url}/notes.txt`)).status).toBe(404);
});

test("a file is compressed for those who ask for that, and for nobody else", async () => {
  const url = await servePage();
  const packed = await fetch(`${url}/`, { headers: { "accept-encoding": "gzip" } });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(await packed.text()).toContain("<title>Page</title>");
  const plain = await fetch(`${url}/`, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  expect(await plain.text()).toContain("<title>Page</title>");
});

test("a page that a browser has already is not sent again", async () => {
  const url = await servePage();
  const tag = (await fetch(`${url}/`)).headers.get("etag") ?? "";
  expect((await fetch(`${url}/`, { headers: { "if-none-match": tag } })).status).toBe(304);
});
