import { expect, test } from "vitest";
import { CORRECTIONS, UNPUBLISHED } from "../../../apps/evidence/src/wire/schema/published-schemas.ts";
import { REVISIONS } from "../src/revisions/revision.ts";
import { hasExamples, official, published, readExamples, SOURCES } from "./spec-data.ts";

test(`messages are checked against ${SOURCES.map(({ name }) => name).join(" and ") || "no schemas"}`, () => {
  expect(SOURCES).toContain(published);
});

test.each(SOURCES.flatMap((source) => REVISIONS.map((revision) => [source.name, revision, source] as const)))(
  "%s define the messages of %s",
  (_name, revision, source) => {
    const definitions = Object.keys(source.definitionsOf(revision));
    expect(definitions).toEqual(expect.arrayContaining(["CallToolRequest", "CallToolResult", "ProgressNotification"]));
    expect(source.complaintAbout(revision, "CallToolResult", { content: [{ type: "text" }] })).toBeTypeOf("string");
  },
);

test("the published schemas still lack the definitions that are listed as unpublished", () => {
  const definitions = published.definitionsOf("2026-07-28");
  expect([...UNPUBLISHED].filter((name) => name in definitions)).toEqual([]);
});

test("every correction of the published schemas names revisions and a reason", () => {
  for (const { revisions, reason } of CORRECTIONS) {
    expect(REVISIONS).toEqual(expect.arrayContaining([...revisions]));
    expect(reason).toMatch(/\.$/);
  }
});

// Without them, `model/examples.test.ts` checks examples of our own only.
test(`the official schemas and examples are ${official === undefined ? "not at ../shared/spec" : "read from ../shared/spec"}`, () => {
  if (official === undefined) console.warn("../shared/spec is not there: the published schemas were used.");
  expect(hasExamples).toBe(official !== undefined);
  expect(readExamples().length > 0).toBe(hasExamples);
});
