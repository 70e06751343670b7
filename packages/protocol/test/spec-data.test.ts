import { expect, test } from "vitest";
import { hasSpec, readExamples } from "./spec-data.ts";

const place = hasSpec
  ? "in ../shared/spec, and are checked against"
  : "NOT in ../shared/spec, so nothing was checked against them";

test(`the official schemas and examples are ${place}`, () => {
  if (!hasSpec) console.warn(`The official schemas and examples are ${place}.`);
  expect(readExamples().length > 0).toBe(hasSpec);
});
