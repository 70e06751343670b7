/**
 * Logins in a real Chromium, at a real authorization server: by a program that listens, by leaving a page, in a window.
 *
 *   node --conditions=@toolwire/source --import tsx packages/client/test/logins/main.ts [loopback] [redirect] [window]
 */
import { findChromium, startChromium } from "../../../../test/browser/chromium.ts";
import { Run } from "../../../../test/browser/run.ts";
import { checkLoopbackLogins } from "./loopback.ts";
import { checkRedirectLogins } from "./redirect.ts";
import { checkWindowLogins } from "./window.ts";

const program = findChromium();
if (program === undefined) {
  console.log(
    "Chromium is not installed, so nobody logged in. `npm run install:chromium` installs it; or set CHROMIUM to its program.",
  );
  console.log("0 passed, 0 failed, 1 skipped");
} else process.exitCode = (await main(program, process.argv.slice(2))) === 0 ? 0 : 1;

async function main(path: string, only: readonly string[]): Promise<number> {
  const run = new Run();
  const browser = await startChromium(path, { blocksWindows: true });
  console.log(`Chromium ${browser.version()}`);
  const wants = (name: string): boolean => only.length === 0 || only.includes(name);
  try {
    if (wants("loopback")) await checkLoopbackLogins(run, browser);
    if (wants("redirect")) await checkRedirectLogins(run, browser);
    if (wants("window")) await checkWindowLogins(run, browser);
  } finally {
    await browser.close();
  }
  console.log(`${run.passed} passed, ${run.failures.length} failed`);
  return run.failures.length;
}
