/** Views that change while they are shown, in development. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { views } from "@toolwire/server/views";
import { viewFile, watchViews } from "@toolwire/server/views/node";
import { buildViews } from "@toolwire/views/vite";
import { expectSame, type Run } from "../../../../test/browser/run.ts";
import { hostPage, serveHost, serveSandbox } from "../../src/pages.ts";
import { CONDITIONS } from "./stage.ts";

/** Beside the sources of the example, so that packages are found. */
const FOLDER = fileURLToPath(new URL("../../dist/", import.meta.url));

const VIEW = `<!doctype html>
<title>Counter</title>
<h1>Version 1</h1>
<button>Count</button> <output>0</output>
<p id="result"></p>
<script type="module">
  import { connectView } from "@toolwire/views";
  const view = await connectView();
  let count = view.keptState ?? 0;
  const draw = () => {
    document.querySelector("output").textContent = count;
    document.getElementById("result").textContent = view.state.result?.content[0].text ?? "";
  };
  document.querySelector("button").addEventListener("click", () => { count += 1; draw(); });
  view.keepState(() => count);
  view.subscribe(draw);
  draw();
</script>
`;

/** Checks that a change of a source is shown, and that nothing is lost. */
export async function checkReload(run: Run, browser: Browser): Promise<void> {
  await run.check("a view whose source changes is built and shown again, with its result and its state", () =>
    changeView(browser),
  );
}

async function changeView(browser: Browser): Promise<void> {
  const folder = await mkdtemp(join(FOLDER, "reload-"));
  const source = join(folder, "counter.html");
  await writeFile(source, VIEW);
  const outDir = join(folder, "built");
  const vite = { resolve: { conditions: [...CONDITIONS, "module", "browser"] } };
  const built = await buildViews({ views: [source], outDir, watch: true, vite });
  const apps = views();
  const server = createServer({
    name: "counter",
    version: "1.0.0",
    extensions: [apps],
    tools: { count: tool({ title: "Count", view: viewFile(join(outDir, "counter.html")), run: () => "counted once" }) },
  });
  const watched = watchViews(server, apps);
  const served = await serveHttp(server, { port: 0 });
  let sandbox = "";
  const host = await serveHost(() => hostPage({ mcp: served.url, sandbox }));
  const sandboxPage = await serveSandbox(host.origin);
  sandbox = `${sandboxPage.origin}/`;
  const page = await browser.newPage();
  try {
    await page.goto(host.origin);
    await page.getByRole("button", { name: "Count" }).click();
    const view = page.frameLocator("iframe").frameLocator("iframe");
    await view.getByText("counted once").waitFor();
    await view.getByRole("button", { name: "Count" }).click();
    await view.getByRole("button", { name: "Count" }).click();
    expectSame(await view.locator("output").textContent(), "2");
    const text = await readFile(source, "utf8");
    await writeFile(source, text.replace("Version 1", "Version 2"));
    // The old frame goes away: whoever waited in it would wait in vain.
    const begun = page.locator("#log li", { hasText: "ui/initialize: done" });
    await begun.nth(1).waitFor();
    await view.getByRole("heading", { name: "Version 2" }).waitFor();
    await view.getByText("counted once").waitFor();
    expectSame(await view.locator("output").textContent(), "2");
    expectSame(await page.locator("iframe").count(), 1);
  } finally {
    await page.close();
    watched.close();
    await Promise.all([built.close(), served.close(), host.close(), sandboxPage.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}
