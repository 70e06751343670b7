import { readFile } from "node:fs/promises";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createSandboxPage } from "@toolwire/views/sandbox";
import { buildViews, type BuiltViews } from "@toolwire/views/vite";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));

/** Where the built views are. */
export const VIEWS: string = fileURLToPath(new URL("../dist/views/", import.meta.url));

/** Where the built page of the host is. */
const HOST: string = fileURLToPath(new URL("../dist/host/", import.meta.url));

/** Makes one HTML file of each view, and of the host. With `watch`, views are made again when their files change. */
export async function buildPages({ watch = false, conditions = [] as readonly string[] } = {}): Promise<BuiltViews> {
  const vite = {
    resolve: { conditions: [...conditions, "module", "browser"] },
    oxc: { jsx: { importSource: "preact" } },
  };
  const built = await buildViews({
    views: ["chart", "form", "list"].map((name) => `${PAGE}views/${name}.html`),
    outDir: VIEWS,
    watch,
    vite,
  });
  await buildViews({ views: [`${PAGE}host/index.html`], outDir: HOST, vite });
  return built;
}

/** A page that is served. */
export interface ServedPage {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the host at an address of this machine. It may be framed by nobody, and frame nothing but the sandbox. */
export async function serveHost(page: (origin: string) => Promise<string>): Promise<ServedPage> {
  return listen("127.0.0.1", async (origin) => ({
    html: await page(origin),
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  }));
}

/**
 * Serves the sandbox page for a host. It has another host name for the same machine, so that browsers keep it apart from the host: another
 * port alone would make another origin, but not another site.
 */
export async function serveSandbox(host: string, name = "localhost"): Promise<ServedPage> {
  const page = createSandboxPage({ hosts: [host] });
  return listen(name, () => Promise.resolve(page));
}

/** The page of the host, with the addresses that it needs. */
export async function hostPage(settings: { readonly mcp: string; readonly sandbox: string }): Promise<string> {
  const html = await readFile(`${HOST}index.html`, "utf8");
  return html.replace("%SETTINGS%", () => JSON.stringify(settings).replaceAll("<", String.raw`\u003c`));
}

type Page = { readonly html: string; readonly headers: { readonly [name: string]: string } };

async function listen(name: string, page: (origin: string) => Promise<Page>): Promise<ServedPage> {
  let origin = "";
  const server: HttpServer = createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/") {
      response.writeHead(404).end();
      return;
    }
    page(origin).then(
      ({ html, headers }) => response.writeHead(200, headers).end(html),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, name, resolve));
  origin = `http://${name}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
