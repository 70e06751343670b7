import { expect, test } from "vitest";
import type { Exclusion } from "../../src/exclusions.ts";
import { judgeRun, type Verdict } from "../../src/pairs/judge.ts";
import type { Pair } from "../../src/pairs/pairs.ts";
import { explainExclusions, keepRows, keepRunLine, tabulate } from "../../src/tables/tables.ts";
import { fakeRuntime } from "../fake-runtime.ts";

const pair: Pair = { half: "client", runtime: fakeRuntime("Runtime 1.0"), binding: "http" };

function verdicts(): Verdict[] {
  const modern = { pair, revision: "2026-07-28", outcomes: { connect: "passed", call: "passed" } } as const;
  const legacy = { ...modern, revision: "2025-11-25", outcomes: { connect: { failed: "refused" } } } as const;
  return [modern, legacy].map((run) => judgeRun(run, []));
}

test("a row has a cell a binding, with what passed in either era", () => {
  const [, , row] = tabulate("client", ["Runtime 1.0"], verdicts(), new Map()).split("\n");

  expect(row).toMatch(/^\| Runtime 1\.0 +\| 2\/2 · 0\/1 +\| +\| +\| +\|$/);
});

test("each half has a table of its own", () => {
  expect(tabulate("server", ["Runtime 1.0"], verdicts(), new Map())).not.toContain("2/2");
});

test("a row that was not run is the one that was published", () => {
  const published = `Words.\n\n${tabulate("client", ["Runtime 1.0"], verdicts(), new Map())}\n\nRun on a day.`;
  const kept = keepRows(published, "client", ["Runtime 1.0"]);

  expect(kept.get("Runtime 1.0")).toEqual(["2/2 · 0/1", "", "", ""]);
  expect(published).toContain(tabulate("client", ["Runtime 1.0"], [], kept));
});

test("rows are kept each on its own, and one that was never run says so", () => {
  const published = tabulate("client", ["Runtime 1.0", "Other"], verdicts(), new Map([["Other", ["1/1"]]]));
  const kept = keepRows(published, "client", ["Other", "New"]);

  expect([...kept]).toEqual([
    ["Other", ["1/1", "", "", ""]],
    ["New", ["not run"]],
  ]);
});

test("rows are looked for in the table of their half alone", () => {
  const published = [
    tabulate("server", ["Runtime 1.0", "Other"], [], new Map([["Other", ["1/1"]]])),
    tabulate("client", ["Runtime 1.0"], verdicts(), new Map()),
  ].join("\n\n");

  expect(keepRows(published, "server", ["Other"]).get("Other")?.[0]).toBe("1/1");
  expect(keepRows(published, "client", ["Other"]).get("Other")).toEqual(["not run"]);
  expect(keepRows("", "client", ["Other"]).get("Other")).toEqual(["not run"]);
});

test("the line about the last run of a browser is kept, whatever the others' say", () => {
  const published = "Run on 2026-01-02 in Chromium 1.2.3.\n\nRun on 2026-03-04 in WebKit 4.5.6.\n";

  expect(keepRunLine(published, "WebKit")).toBe("Run on 2026-03-04 in WebKit 4.5.6.");
  expect(keepRunLine(published, "Firefox")).toBe("Run on no day in Firefox yet.");
});

test("exclusions are explained in the words of the table", () => {
  const exclusions: Exclusion[] = [
    { runtime: /^Runtime$|^Other$/, half: "client", bindings: ["stdio", "http"], reason: "it cannot" },
    {
      runtime: /^Runtime/,
      half: "server",
      bindings: ["node"],
      steps: ["call"],
      revisions: ["2025-11-25"],
      reason: "it will not",
    },
  ];

  expect(explainExclusions(exclusions)).toBe(
    [
      "- Runtime, Other, client, HTTP, stdio: it cannot.",
      "- Runtime, server, `serveHttp`, call, 2025-11-25: it will not.",
    ].join("\n"),
  );
});
