import type { connect as Connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { build } from "esbuild";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const sources = fileURLToPath(new URL("../src", import.meta.url));

async function bundle(contents: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: sources, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    conditions: ["@toolwire/source", "browser"],
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

test("a bundle for browsers calls a real server over HTTP", async () => {
  const server = createServer({ name: "s", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
  const serving = await serveHttp(server, { port: 0 });
  onTestFinished(() => serving.close());
  const folder = await mkdtemp(join(tmpdir(), "toolwire-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "bundle.mjs");
  await writeFile(file, await bundle('export { connect } from "./index.ts";'));
  const { connect } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { connect: typeof Connect };

  const client = await connect(serving.url);
  await client.listTools();
  await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ type: "text", text: "Hello" }] });
  await expect(connect({ command: "node" })).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await client.close();
});

test("a bundle for browsers takes nothing that Safari 17 and Firefox 115 do not have", async () => {
  const text = new TextDecoder().decode(await bundle('export * from "./index.ts";'));
  // The compiler keeps out what is younger of the language, but knows no age of what browsers add.
  expect(text.match(/\b(?:AbortSignal\.(?:any|timeout)|URL\.parse|ReadableStream\.from)\b/g)).toBeNull();
  expect(text).toContain("URL.canParse");
});
