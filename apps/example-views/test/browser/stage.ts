import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Browser, Frame, Page } from "playwright-core";
import { buildViews } from "@toolwire/views/vite";
import { serveHost, serveSandbox, VIEWS, type ServedPage } from "../../src/pages.ts";
import type { Recorded, Shown } from "./pages/attacked-host.ts";

const PAGES = fileURLToPath(new URL("pages/", import.meta.url));
const BUILT = fileURLToPath(new URL("../../dist/test/", import.meta.url));

/** Settings of Vite for programs that run on sources. */
export const CONDITIONS: readonly string[] = ["@toolwire/source"];

/** A server of strangers, which writes down what reaches it. It lets every page read its answers, so that only policies keep views away. */
interface Stranger extends ServedPage {
  readonly hits: string[];
}

/** What attacks are tried on: a host that shows any document, its sandbox page, and strangers. */
export interface Stage {
  readonly browser: Browser;
  readonly host: string;
  readonly sandbox: string;
  /** A sandbox page of the same site, which browsers do not keep from storage as one of a third party. */
  readonly nearSandbox: string;
  readonly official: string;
  readonly officialSandbox: string;
  readonly stranger: Stranger;
  readonly officialView: string;
  /** The chart of the example. */
  chart(): Promise<string>;
  close(): Promise<void>;
}

/** Builds the pages of the tests, and serves them. */
export async function openStage(browser: Browser): Promise<Stage> {
  await buildViews({
    views: ["attacked-host", "official-host", "official-view"].map((name) => `${PAGES}${name}.html`),
    outDir: BUILT,
    vite: { resolve: { conditions: [...CONDITIONS, "module", "browser"] } },
  });
  const read = (name: string): Promise<string> => readFile(`${BUILT}${name}.html`, "utf8");
  const host = await serveHost(() => read("attacked-host"));
  const official = await serveHost(() => read("official-host"));
  const sandbox = await serveSandbox(host.origin);
  const nearSandbox = await serveSandbox(host.origin, "127.0.0.1");
  const officialSandbox = await serveSandbox(official.origin);
  const stranger = await serveStranger();
  return {
    browser,
    host: host.origin,
    sandbox: `${sandbox.origin}/`,
    nearSandbox: `${nearSandbox.origin}/`,
    official: official.origin,
    officialSandbox: `${officialSandbox.origin}/`,
    stranger,
    officialView: await read("official-view"),
    chart: () => readFile(`${VIEWS}chart.html`, "utf8"),
    async close() {
      await Promise.all([host, official, sandbox, nearSandbox, officialSandbox, stranger].map((each) => each.close()));
    },
  };
}

async function serveStranger(): Promise<Stranger> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/html", "access-control-allow-origin": "*" });
    response.end("<!doctype html><title>Stranger</title><p>Stranger");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    hits,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A view on the stage. */
export interface Scene {
  readonly page: Page;
  /** The document of the view. */
  readonly view: Frame;
  recorded(): Promise<Recorded>;
  /** Waits until what was recorded is so. */
  until(holds: (recorded: Recorded) => boolean): Promise<Recorded>;
  /** Runs once the events that are under way have been handled by all frames. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** What a document says to begin as a view, written without any package. */
const GREETING = `
  const ask = (id, method, params) => new Promise((resolve) => {
    addEventListener("message", function listen({ data, source }) {
      if (source !== parent || data.id !== id) return;
      removeEventListener("message", listen);
      resolve(data);
    });
    parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
  });
  const tell = (method, params = {}) => parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
  // Not from tests: the browser lets those evaluate everything.
  try { var evaluated = (0, eval)("'eval'") } catch { var evaluated = "refused" }
  var heard = [];
  addEventListener("message", ({ data }) => heard.push(data));
  const greeted = ask("greeting", "ui/initialize", {
    appInfo: { name: "attack", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26",
  }).then((answer) => { tell("ui/notifications/initialized"); return answer; });`;

/** A document that begins as a view. Its functions are for what tests run in it. */
export function attackPage(head = "", displayModes = "undefined"): string {
  const script = GREETING.replace("appCapabilities: {}", `appCapabilities: { availableDisplayModes: ${displayModes} }`);
  return `<!doctype html><html><head>${head}</head><body><h1>Attack</h1><script>${script}</script></body></html>`;
}

/** Shows a document in the host, and waits until its view has begun. */
export async function perform(stage: Stage, shown: Partial<Shown> = {}): Promise<Scene> {
  const page = await stage.browser.newPage({ viewport: { width: 1000, height: 800 } });
  // The compiler of tests names functions by a call that pages do not have.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.goto(stage.host);
  await page.waitForFunction(() => "attacked" in globalThis);
  await page.evaluate((given) => globalThis.attacked.show(given), {
    html: attackPage(),
    sandbox: stage.sandbox,
    ...shown,
  });
  await page.waitForFunction(
    () => globalThis.attacked.recorded.begun || globalThis.attacked.recorded.closed !== undefined,
  );
  const recorded = (): Promise<Recorded> => page.evaluate(() => ({ ...globalThis.attacked.recorded }));
  return {
    page,
    get view() {
      const frame = page.frames().find((each) => each.parentFrame()?.parentFrame() === page.mainFrame());
      if (frame === undefined) throw new Error("The view is gone.");
      return frame;
    },
    recorded,
    async until(holds) {
      for (let round = 0; round < 200; round += 1) {
        const now = await recorded();
        if (holds(now)) return now;
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 25)));
      }
      throw new Error(`It did not happen. Recorded: ${JSON.stringify(await recorded())}`);
    },
    async settle() {
      for (const frame of page.frames()) {
        await frame.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50))).catch(() => undefined);
      }
    },
    close: () => page.close(),
  };
}
