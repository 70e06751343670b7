/**
 * Views in a real Chromium: the example, attacks of views on hosts, the official package on either side, and views that change while they
 * are shown.
 *
 *   node --conditions=@toolwire/source --import tsx apps/example-views/test/browser/main.ts
 *
 * Screenshots go to `apps/example-views/.toolwire-views/`.
 */
import { findChromium, startChromium } from "../../../../test/browser/chromium.ts";
import { Run } from "../../../../test/browser/run.ts";
import { startExample } from "../../src/start-example.ts";
import { checkAttacks } from "./attacks.ts";
import { checkExample } from "./example.ts";
import { checkMessages } from "./messages.ts";
import { checkOfficial } from "./official.ts";
import { checkReload } from "./reload.ts";
import { CONDITIONS, openStage } from "./stage.ts";

const program = findChromium();
if (program === undefined) {
  console.log(
    "Chromium is not installed, so no view was looked at. `npm run install:chromium` installs it; or set CHROMIUM to its program.",
  );
  console.log("0 passed, 0 failed, 1 skipped");
} else {
  const run = new Run();
  const browser = await startChromium(program);
  console.log(`Chromium ${browser.version()}`);
  const example = await startExample({ conditions: CONDITIONS });
  const stage = await openStage(browser);
  try {
    await checkExample(run, browser, example);
    await checkReload(run, browser);
    await checkOfficial(run, stage);
    await checkMessages(run, stage);
    await checkAttacks(run, stage);
  } finally {
    await stage.close();
    await example.close();
    await browser.close();
  }
  console.log(`${run.passed} passed, ${run.failures.length} failed`);
  process.exitCode = run.failures.length === 0 ? 0 : 1;
}
