/** The example: three views in a small host, light and dark, wide and narrow. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Frame, Page } from "playwright-core";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import type { RunningExample } from "../../src/start-example.ts";

const PICTURES = fileURLToPath(new URL("../../.toolwire-views/", import.meta.url));

/** Looks at all views of the example. */
export async function checkExample(run: Run, browser: Browser, example: RunningExample): Promise<void> {
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  for (const width of [1200, 420]) {
    await run.check(`all views are shown in both themes, ${width} px wide`, () => checkLooks(browser, example, width));
  }
  await run.check("the chart calls its tool after the user has agreed, and not before", () =>
    checkChart(browser, example),
  );
  await run.check("the form knows what the model knew, and books through a tool that models do not see", () =>
    checkForm(browser, example),
  );
  await run.check("the list ticks items, tells the model, writes in the conversation and opens a page", () =>
    checkList(browser, example),
  );
}

/** Opens the host, in a window that is as high as all views: frames that nobody sees are not drawn. Complaints of the browser are collected. */
async function open(
  browser: Browser,
  example: RunningExample,
  width = 1200,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 1800 } });
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(example.host);
  await page.getByRole("button", { name: "Sales" }).waitFor();
  return { page, complaints };
}

/** Calls a tool in the host, and finds its view. */
async function call(page: Page, tool: string, heading: string | RegExp): Promise<Frame> {
  const frames = page.frames().length;
  await page.getByRole("button", { name: tool, exact: true }).click();
  await page.waitForFunction((count) => document.querySelectorAll("iframe").length >= count, (frames - 1) / 2 + 1);
  const view = page.frameLocator(`.card:first-child iframe`).frameLocator("iframe");
  await view.getByRole("heading", { name: heading }).waitFor();
  const handle = await view.getByRole("heading", { name: heading }).elementHandle();
  const frame = await handle?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error(`${tool} has no view.`);
  return frame;
}

async function decide(page: Page, answer: "Allow" | "Do not allow", question: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByText(question).waitFor();
  await dialog.getByRole("button", { name: answer, exact: true }).click();
}

async function checkLooks(browser: Browser, example: RunningExample, width: number): Promise<void> {
  const { page, complaints } = await open(browser, example, width);
  const names = await page.locator("#tools button").allTextContents();
  expectSame(names, ["Sales", "Book a table", "Shopping list"]);
  const views = [
    await call(page, "Sales", /2025/),
    await call(page, "Book a table", "Book a table"),
    await call(page, "Shopping list", "Shopping list"),
  ];
  await views[2]?.getByText("Tomatoes").waitFor();
  // What people see who cannot see views, and what a model gets.
  await page.getByText("Still to buy: Oat milk, Tomatoes, Coffee, A lemon.").waitFor();
  await page.screenshot({ path: join(PICTURES, `light-${width}.png`), fullPage: true });
  const light = await Promise.all(views.map(colours));
  await page.getByRole("button", { name: "Dark" }).click();
  for (const view of views) await view.locator("html[data-theme=dark]").waitFor();
  await page.screenshot({ path: join(PICTURES, `dark-${width}.png`), fullPage: true });
  const dark = await Promise.all(views.map(colours));
  expectSame(new Set(light).size, 1);
  expectSame(new Set(dark).size, 1);
  if (light[0] === dark[0]) throw new Error("The views look the same in both themes.");
  for (const view of views) {
    const overflow = await view.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expectSame(overflow, 0);
  }
  expectSame(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  expectNone("complaints", complaints);
  await page.close();
}

function colours(view: Frame): Promise<string> {
  return view.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return `${backgroundColor} ${color}`;
  });
}

async function checkChart(browser: Browser, example: RunningExample): Promise<void> {
  const { page, complaints } = await open(browser, example);
  const view = await call(page, "Sales", /2025/);
  expectSame(await view.locator("rect").count(), 12);
  await view.getByRole("button", { name: "Year before" }).click();
  await decide(page, "Do not allow", "call “Sales”");
  await view.getByText("The user did not agree.").waitFor();
  await view.getByRole("button", { name: "Year before" }).click();
  await decide(page, "Allow", "call “Sales”");
  await view.getByRole("heading", { name: /2024/ }).waitFor();
  expectNone("complaints", complaints);
  await page.close();
}

async function checkForm(browser: Browser, example: RunningExample): Promise<void> {
  const { page, complaints } = await open(browser, example);
  const view = await call(page, "Book a table", "Book a table");
  expectSame(
    [await view.getByLabel("Guests").inputValue(), await view.getByLabel("Day").inputValue()],
    ["4", "2027-03-12"],
  );
  await view.getByLabel("Name").fill("Ada");
  await view.getByRole("button", { name: "Book" }).click();
  await decide(page, "Allow", "call “Confirm a booking”");
  await view.getByText("Booked as AD-20270312.").waitFor();
  await decide(page, "Allow", "write in the conversation");
  await page.getByText("You: I booked a table for 4 on 2027-03-12, as AD-20270312.").waitFor();
  expectNone("complaints", complaints);
  await page.close();
}

async function checkList(browser: Browser, example: RunningExample): Promise<void> {
  const { page, complaints } = await open(browser, example);
  const view = await call(page, "Shopping list", "Shopping list");
  await view.getByLabel("Coffee").click();
  await decide(page, "Allow", "call “Tick an item”");
  await view.locator("label.done", { hasText: "Coffee" }).waitFor();
  await page.getByText("Left to buy: Oat milk, Tomatoes, A lemon").waitFor();
  await view.getByRole("button", { name: "Ask for a recipe" }).click();
  await decide(page, "Allow", "write in the conversation");
  await page.getByText("You: What can I cook with this?").waitFor();
  await view.getByRole("button", { name: "Open recipes" }).click();
  const opened = page.context().waitForEvent("page");
  await decide(page, "Allow", "open a page");
  await (await opened).close();
  expectNone("complaints", complaints);
  await page.close();
}
