import { afterEach, expect, test, vi } from "vitest";
import { browserRuntimes, seekBrowser, type Browser } from "../../src/runtimes/browsers/browser.ts";

const browser: Browser = {
  title: "Browser",
  variable: "TOOLWIRE_TEST_BROWSER",
  path: process.execPath,
  needs: [],
  readVersion: () => Promise.resolve("1.2.3"),
  show: () => Promise.reject(new Error("Nobody shows anything.")),
};

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a browser that is where it usually is, is run", async () => {
  const sought = await seekBrowser(browser);

  expect(sought).toMatchObject({ program: process.execPath, version: "1.2.3", lacking: [] });
  expect(browserRuntimes([sought], "programs", "output").map(({ title }) => title)).toEqual(["Browser"]);
});

test("the environment may name another one", async () => {
  vi.stubEnv(browser.variable, import.meta.filename);

  expect(await seekBrowser({ ...browser, path: "/nonesuch" })).toMatchObject({
    program: import.meta.filename,
    version: "1.2.3",
  });
});

test("a browser that is not there, or lacks something, says what, and keeps no other from being run", async () => {
  const gone = await seekBrowser({ ...browser, title: "Gone", path: "/nonesuch" });
  const blind = await seekBrowser({ ...browser, title: "Blind", needs: ["/no/screen"] });
  const sought = await seekBrowser(browser);

  expect(gone).toMatchObject({ version: undefined, lacking: ["/nonesuch"] });
  expect(blind).toMatchObject({ version: undefined, lacking: ["/no/screen"] });
  expect(browserRuntimes([gone, blind, sought], "programs", "output").map(({ title }) => title)).toEqual(["Browser"]);
});
