import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema, SchemaValidator } from "../../src/index.ts";

const SOURCE = JSON.parse(readFileSync(new URL("source.json", import.meta.url), "utf8")) as {
  readonly commit: string;
  readonly folder: string;
};

/** Where `scripts/fetch-schema-suite.mjs` puts the suite. */
const FOLDER = join(import.meta.dirname, "../../../..", SOURCE.folder, SOURCE.commit);

/** The outcome of one test of the suite. */
export interface Outcome {
  /** `draft7/optional/format/date.json › group › test`. */
  readonly path: string;
  readonly isAsExpected: boolean;
}

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** The dialects that are supported, by their folders in the suite. */
export const DIALECTS: ReadonlyMap<string, string> = new Map([
  ["draft2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft2019-09", "https://json-schema.org/draft/2019-09/schema"],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
]);

/** Whether the suite was fetched. */
export const hasSuite: boolean = existsSync(FOLDER);

/** Lists the files of a dialect, such as `draft7/optional/format/date.json`. */
export function listSuiteFiles(dialect: string): string[] {
  return readdirSync(join(FOLDER, "tests", dialect), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => `${dialect}/${file.replaceAll("\\", "/")}`)
    .toSorted();
}

/** Runs the tests of a file. A schema that the validator refuses fails all tests of its group. */
export function runSuiteFile(file: string, validator: SchemaValidator): Outcome[] {
  const $schema = DIALECTS.get(file.split("/", 1)[0] ?? "");
  const groups = JSON.parse(readFileSync(join(FOLDER, "tests", file), "utf8")) as Group[];
  return groups.flatMap(({ description: group, schema, tests }) => {
    // A schema of the suite need not say in which dialect it is.
    const passes = compile(validator, typeof schema === "object" ? { $schema, ...schema } : schema);
    return tests.map(({ description, data, valid }) => ({
      path: `${file} › ${group} › ${description}`,
      isAsExpected: passes(data) === valid,
    }));
  });
}

function compile(validator: SchemaValidator, schema: JsonSchema): (data: unknown) => boolean | undefined {
  try {
    const validate = validator.compile(schema);
    return (data) => validate(data).ok;
  } catch {
    return () => undefined;
  }
}
