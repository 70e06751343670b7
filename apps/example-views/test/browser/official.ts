/** The official package `@modelcontextprotocol/ext-apps` on either side. */
import { expectSame, type Run } from "../../../../test/browser/run.ts";
import type { OfficialHost } from "./pages/official-host.ts";
import { perform, type Stage } from "./stage.ts";

/** Checks that its views work in our host, and our views and sandbox page with its host. */
export async function checkOfficial(run: Run, stage: Stage): Promise<void> {
  await run.check("a view of the official package works in our host", () => checkOfficialView(stage));
  await run.check("our views and our sandbox page work with a host of the official package", () =>
    checkOfficialHost(stage),
  );
}

async function checkOfficialView(stage: Stage): Promise<void> {
  const context = { theme: "dark", availableDisplayModes: ["inline", "fullscreen"] } as const;
  const scene = await perform(stage, { html: stage.officialView, context });
  try {
    await scene.page.evaluate(() => {
      globalThis.attacked.mounted?.sendInput({ year: 2025 });
      globalThis.attacked.mounted?.sendResult({ content: [], structuredContent: { sum: 7 } });
    });
    const { view } = scene;
    await view.getByText('{"year":2025}').waitFor();
    await view.getByText('{"sum":7}').waitFor();
    await view.getByText('"dark"').waitFor();
    await view.getByText("called for_views").waitFor();
    expectSame(JSON.parse((await view.locator("#called").textContent()) ?? ""), [
      [{ type: "text", text: "called for_views" }],
      [{ uri: "ui://attack/data", text: "resource" }],
      "fullscreen",
    ]);
    await scene.page.evaluate(() => globalThis.attacked.mounted?.setContext({ theme: "light" }));
    await view.getByText('"light"').waitFor();
    const { calls, contexts, links, logs, messages } = await scene.until((recorded) => recorded.logs.length > 0);
    expectSame(calls, [["for_views", { a: 1 }]]);
    expectSame(contexts, [{ structuredContent: { seen: true } }]);
    expectSame([links, logs], [["https://example.com/"], [["info", "done"]]]);
    expectSame(messages, [[{ type: "text", text: "hello" }]]);
    await scene.page.evaluate(() => globalThis.attacked.mounted?.close());
    await scene.until(({ closed }) => closed === "closed by the host");
  } finally {
    await scene.close();
  }
}

async function checkOfficialHost(stage: Stage): Promise<void> {
  const page = await stage.browser.newPage();
  try {
    await page.goto(stage.official);
    await page.waitForFunction(() => "official" in globalThis);
    await page.evaluate(([html, sandbox]) => globalThis.official.show(html, sandbox), [
      await stage.chart(),
      stage.officialSandbox,
    ] as const);
    const view = page.frames().find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame());
    if (view === undefined) throw new Error("There is no view.");
    await view.getByText("Sales of 2025, in thousand EUR").waitFor();
    expectSame(await view.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    await page.evaluate(() => globalThis.official.change({ theme: "light" }));
    await view.locator("html[data-theme=light]").waitFor();
    await view.getByRole("button", { name: "Year before" }).click();
    await view.getByText("Sales of 2024, in thousand EUR").waitFor();
    const recorded: OfficialHost["recorded"] = await page.evaluate(() => globalThis.official.recorded);
    expectSame(
      recorded.filter((each) => (each as unknown[])[0] === "call"),
      [["call", "sales", { year: 2024 }]],
    );
    expectSame(
      recorded.some((each) => (each as unknown[])[0] === "size"),
      true,
    );
    // Our views answer the end with the state that they keep.
    expectSame(JSON.stringify(await page.evaluate(() => globalThis.official.end())).includes("2024"), true);
  } finally {
    await page.close();
  }
}
