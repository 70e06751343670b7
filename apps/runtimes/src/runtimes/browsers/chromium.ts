import { startProgram } from "../child.ts";
import { askVersion, type Browser } from "./browser.ts";

/** No network but for the page, no questions, and nothing that outlives the run. */
const FLAGS = [
  "--headless",
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

/** Chromium, which Chrome, Edge and most others are made of. */
export const chromium: Browser = {
  title: "Chromium",
  variable: "CHROMIUM",
  path: "/usr/bin/chromium",
  needs: [],
  readVersion: (program) => askVersion(program),
  show: (url, program, profile) =>
    Promise.resolve(startProgram([program, ...FLAGS, `--user-data-dir=${profile}`, url], "stdout")),
};
