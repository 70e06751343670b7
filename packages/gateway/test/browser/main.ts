/**
 * The page in a real Chromium: every view, light and dark, narrow and wide, with a screenshot of each.
 *
 *   node --conditions=@toolwire/source --import tsx packages/gateway/test/browser/main.ts [--images] [VIEW…]
 *
 * Screenshots go to `packages/gateway/.toolwire-page/`. With names of views, only those are looked at. With `--images`, those of the
 * README are written anew.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { build } from "vite";
import type { FakeGateway, FakeOptions } from "../admin/fixture/fake-gateway.ts";
import { firstCalls, NOW } from "../admin/fixture/seeded-calls.ts";
import { findChromium, startChromium } from "../../../../test/browser/chromium.ts";
import { openTab, type Look, type Tab } from "./tab.ts";
import { servePage, TOKEN } from "./fixture.ts";
import { checkFlows } from "./flows.ts";
import { checkHostileTexts } from "./hostile.ts";
import { checkLogins } from "./logins.ts";
import { findLowContrast, findOverflow, findUnnamed, walkFocus } from "./inspect.ts";
import { expectNone, Run } from "../../../../test/browser/run.ts";
import { seen } from "./seen.ts";
import { EMPTY_VIEWS, FIRST_DAY_VIEWS, listViews, type ViewCase } from "./views.ts";
import { checkWholeGateway } from "./whole-gateway.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PICTURES = join(ROOT, ".toolwire-page");
const IMAGES = join(ROOT, "../../docs/images");

/** Pictures of the README, by view and colours. */
const README_IMAGES: { readonly [look: string]: string } = {
  "overview light 1440": "gateway-overview.png",
  "call-failed dark 1440": "gateway-call.png",
};
const writesImages = process.argv.includes("--images");

/** Gateways in different states, and what there is to see on each. */
const GATEWAYS: readonly {
  readonly options: FakeOptions;
  readonly list: (gateway: FakeGateway) => readonly ViewCase[];
}[] = [
  { options: {}, list: listViews },
  { options: { calls: firstCalls() }, list: () => FIRST_DAY_VIEWS },
  { options: { calls: [], servers: [], isNew: true }, list: () => EMPTY_VIEWS },
];

const MAX_SIZE = 90_000;

const LOOKS: readonly Look[] = [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 1440 },
  { theme: "light", width: 360 },
  { theme: "dark", width: 360 },
];

const program = findChromium();
if (program === undefined) {
  console.log(
    "Chromium is not installed, so the page was not looked at. `npm run install:chromium` installs it; or set CHROMIUM to its program.",
  );
  console.log("0 passed, 0 failed, 1 skipped");
} else {
  const failed = await main(
    program,
    process.argv.slice(2).filter((argument) => argument !== "--images"),
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

async function main(path: string, only: readonly string[]): Promise<number> {
  const run = new Run();
  const isAll = only.length === 0;
  await build({ root: join(ROOT, "page"), logLevel: "warn" });
  if (isAll) rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  await run.check("the page has at most 90 KB, compressed", async () => checkSize(join(ROOT, "dist/ui")));
  const browser = await startChromium(path);
  console.log(`Chromium ${browser.version()}`);
  try {
    for (const look of LOOKS) await checkLook(run, browser, look, only);
    if (isAll || only.includes("flows")) await checkFlows(run, browser);
    if (isAll || only.includes("whole")) await checkWholeGateway(run, browser);
    if (isAll || only.includes("logins")) await checkLogins(run, browser);
    if (isAll || only.includes("hostile")) await checkHostileTexts(run, browser, PICTURES);
  } finally {
    await browser.close();
  }
  console.log(`${run.passed} passed, ${run.failures.length} failed`);
  return run.failures.length;
}

function checkSize(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  const sum = sizes.reduce((before, size) => before + size, 0);
  console.log(`        ${sum} bytes in ${files.length} files`);
  if (sum > MAX_SIZE) throw new Error(`the page has ${sum} bytes, ${sum - MAX_SIZE} more than it may`);
}

async function checkLook(run: Run, browser: Browser, look: Look, only: readonly string[]): Promise<void> {
  console.log(`${look.theme}, ${look.width} px`);
  for (const { options, list } of GATEWAYS) {
    const { gateway, listener } = await servePage(options);
    const views = list(gateway).filter(({ name }) => only.length === 0 || only.includes(name));
    const tab = await openTab(browser, listener.url, look, NOW);
    try {
      const picture = join(PICTURES, `login-${look.theme}-${look.width}.png`);
      if (views.length > 0) await run.check("login", () => logIn(tab, listener.url, picture));
      for (const view of views) await run.check(view.name, () => checkView(tab, listener.url, look, view));
    } finally {
      await tab.close();
      await listener.close();
    }
  }
}

async function logIn({ page, complaints }: Tab, url: string, picture: string): Promise<void> {
  await page.goto(url);
  const token = page.getByLabel("Admin token");
  await token.waitFor();
  expectNone("low contrast", await findLowContrast(page));
  expectNone("overflow", await findOverflow(page));
  await page.screenshot({ path: picture });
  await token.fill(TOKEN);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expectNone("complaints", complaints.splice(0));
}

async function checkView({ page, complaints }: Tab, url: string, look: Look, view: ViewCase): Promise<void> {
  await page.goto(`${url}${view.path}`);
  await view.prepare?.(page);
  for (const text of view.texts) await seen(page, text).waitFor();
  for (const [role, name] of view.roles) await page.getByRole(role, { name }).first().waitFor({ state: "attached" });
  // What is fixed to the window would be in the middle of a picture of the whole page.
  await page.evaluate(() => globalThis.scrollTo(0, 0));
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const isDialog = (await page.locator("dialog[open]").count()) > 0;
  await page.screenshot({ path: join(PICTURES, `${view.name}-${look.theme}-${look.width}.png`), fullPage: !isDialog });
  const image = README_IMAGES[`${view.name} ${look.theme} ${look.width}`];
  if (writesImages && image !== undefined) {
    mkdirSync(IMAGES, { recursive: true });
    await page.screenshot({
      path: join(IMAGES, image),
      clip: { x: 0, y: 0, width: look.width, height: 990 },
      fullPage: true,
    });
  }
  expectNone("low contrast", await findLowContrast(page));
  expectNone("overflow", await findOverflow(page));
  expectNone("not usable without seeing it", await findUnnamed(page));
  // Colours do not change the order.
  if (!isDialog && look.theme === "light") {
    const stops = await walkFocus(page);
    if (stops[0]?.name !== "Skip to the content") {
      throw new Error(`the first stop of the focus is ${stops[0]?.name ?? "none"}`);
    }
    expectNone(
      "focus that cannot be seen",
      stops.filter(({ isSeen }) => !isSeen).map(({ name }) => name),
    );
    expectNone(
      "focus out of order",
      stops.filter(({ isInOrder }) => !isInOrder).map(({ name }) => name),
    );
  }
  const expected = view.isRefused === true ? /status of 422/ : undefined;
  expectNone(
    "complaints",
    complaints.splice(0).filter((each) => expected?.test(each) !== true),
  );
}
