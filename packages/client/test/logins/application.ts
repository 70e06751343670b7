import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { PageSettings } from "./page.ts";

/** A web application of one page, on a port of this machine. */
export interface Application {
  readonly origin: string;
  close(): Promise<void>;
}

let script: Promise<string> | undefined;

/** Makes one script of the page and the client, as a bundler does for browsers. */
async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    conditions: ["@toolwire/source"],
    logLevel: "warning",
  });
  return outputFiles[0]!.text;
}

/**
 * Serves the page at `/` and `/done`. Its origin is another site than `127.0.0.1`, where the other servers are. `returned` is
 * waited for before the page is shown to a user who comes back with a code.
 */
export async function serveApplication(
  settings: PageSettings,
  returned?: (code: string) => Promise<void>,
): Promise<Application> {
  const bundle = await (script ??= bundlePage());
  const page = `<!doctype html><meta charset="utf-8"><title>Application</title><link rel="icon" href="data:,">
    <button>Call</button> <output></output>
    <script>globalThis.settings = ${JSON.stringify(settings)}</script><script type="module" src="/page.js"></script>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const isScript = pathname === "/page.js";
    const code = searchParams.get("code");
    void Promise.resolve(code === null ? undefined : returned?.(code)).then(() => {
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8" });
      response.end(isScript ? bundle : page);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
