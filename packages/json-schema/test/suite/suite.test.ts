import { describe, expect, it } from "vitest";
import { createAjvValidator } from "../../src/ajv/index.ts";
import { createJsonSchemaValidator, type SchemaValidator } from "../../src/index.ts";
import { DEVIATIONS } from "./deviations.ts";
import { DIALECTS, hasSuite, listSuiteFiles, runSuiteFile } from "./run-suite.ts";

const PATHS = DEVIATIONS.flatMap(({ paths }) => paths);

type MakeValidator = (assertFormats: boolean) => SchemaValidator;

const VALIDATORS: readonly [string, MakeValidator][] = [
  ["for schemas of one's own", (assertFormats) => createJsonSchemaValidator({ assertFormats })],
  ["for untrusted schemas", (assertFormats) => createJsonSchemaValidator({ assertFormats, untrusted: true })],
  ["with ajv", (assertFormats) => createAjvValidator({ assertFormats })],
];

function isBelow(path: string, deviation: string): boolean {
  return path === deviation || path.startsWith(`${deviation} › `);
}

// `node scripts/fetch-schema-suite.mjs` fetches the suite.
describe.skipIf(!hasSuite).each(VALIDATORS)("the public test suite of JSON Schema, by the validator %s", (_, make) => {
  describe.each([...DIALECTS.keys()])("%s", (dialect) => {
    it.each(hasSuite ? listSuiteFiles(dialect) : [])(
      "%s has the expected outcomes, but for listed deviations",
      (file) => {
        // The suite takes formats for annotations, except where it tests them one by one.
        const outcomes = runSuiteFile(file, make(file.includes("/optional/format/")));
        expect(outcomes.length).toBeGreaterThan(0);
        const wrong = outcomes.filter(({ path, isAsExpected }) => {
          const isListed = PATHS.some((deviation) => isBelow(path, deviation));
          return isListed === isAsExpected;
        });
        expect(
          wrong.map(({ path, isAsExpected }) => `${path}: ${isAsExpected ? "listed, but passes" : "fails"}`),
        ).toEqual([]);
      },
    );
  });
});

describe.skipIf(!hasSuite)("the list of deviations from the public test suite", () => {
  it("names only tests that there are", () => {
    const validator = createJsonSchemaValidator();
    const all = [...DIALECTS.keys()].flatMap(listSuiteFiles).flatMap((file) => runSuiteFile(file, validator));
    expect(PATHS.filter((deviation) => !all.some(({ path }) => isBelow(path, deviation)))).toEqual([]);
  });
});
