import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** No network but for the page, no questions, and nothing that outlives the run. */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // All other hosts stay unresolved, should it still look for one.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/** Where Chromium is: where the environment says, or where Debian and its like put it. */
export function findChromium(): string | undefined {
  const program = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  return existsSync(program) ? program : undefined;
}

/** Starts Chromium with an empty profile. With `blocksWindows`, scripts open windows only after a click, as for users. */
export function startChromium(program: string, { blocksWindows = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: FLAGS,
    ...(blocksWindows && { ignoreDefaultArgs: ["--disable-popup-blocking"] }),
  });
}
