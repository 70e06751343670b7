import { readFileSync } from "node:fs";
import { untrustedSchemaValidator } from "@toolwire/json-schema";
import { type JsonSchemaObject, ToolError } from "@toolwire/server";
import { describe, expect, it } from "vitest";
import { readOpenApi } from "../../src/import/read-open-api.ts";
import type { OpenApiImport } from "../../src/import/imported-operation.ts";
import type { HttpOperation } from "../../src/tool/operation.ts";
import { sampleOf } from "./sample.ts";
import { DOCUMENTS, hasDocument, listFurther, readText } from "./documents.ts";

/** What an import of each document gave when it was last looked at. `scripts/fetch-openapi-documents.mjs` fetches the documents. */
const COUNTS = JSON.parse(readFileSync(new URL("counts.json", import.meta.url), "utf8")) as {
  readonly [title: string]: ReturnType<typeof countOf>;
};

/** Imports all operations, wherever they are and whatever credentials they need. */
function importAll(document: string): OpenApiImport {
  const baseUrl = "https://api.example.com";
  return readOpenApi(document, { baseUrl, deprecated: true, tool: () => ({ auth: null, baseUrl }) });
}

function countOf({ operations, report }: OpenApiImport) {
  return {
    openapi: report.openapi,
    operations: report.operations.length,
    tools: report.tools,
    changed: report.changed,
    skipped: report.skipped,
    kibibytes: Math.round(report.bytes / 1024),
    largest: Math.max(0, ...operations.map(({ bytes }) => bytes)),
    unsupported: Object.values(report.unsupportedKeywords).reduce((sum, count) => sum + count, 0),
  };
}

/** Tools whose documents contradict themselves on purpose: no value is both a text and a number. */
const CONTRADICTORY: ReadonlySet<string> = new Set([
  "quirks_entirely_incompatible_all_of",
  "quirks_incompatible_nested_all_of",
  "quirks_partially_usable_incompatible_all_of",
]);

function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => key !== "pattern" || typeof member !== "string");
  return Object.fromEntries(members.map(([key, member]) => [key, withoutPatterns(member)]));
}

/** A value may be refused, such as a list where a header wants text, but only with words for the model. */
function resolveOrRefuse(operation: HttpOperation, args: object): void {
  try {
    operation.resolve(args);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
  }
}

const titles = [...DOCUMENTS.keys()];
const missing = titles.filter((title) => !hasDocument(title));
if (missing.length > 0) {
  console.warn(
    `Not imported, because they were not fetched: ${missing.join(", ")}. Run: node scripts/fetch-openapi-documents.mjs`,
  );
}

describe.skipIf(missing.length === titles.length)("documents of real APIs", () => {
  it.each(titles.filter(hasDocument))("makes of the document %s the expected tools, all of them legal", (title) => {
    const imported = importAll(readText(title));
    expect(countOf(imported)).toEqual(COUNTS[title]);
    const names = imported.operations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[\w.-]{1,56}$/.test(name))).toEqual([]);
    for (const { listing } of imported.operations) {
      const { type, properties, required, additionalProperties, $defs, ...others } = listing.input;
      expect({ type, additionalProperties, others }).toEqual({
        type: "object",
        additionalProperties: false,
        others: {},
      });
      expect(Object.keys(properties as object).filter((name) => !/^[\w.-]{1,64}$/.test(name))).toEqual([]);
      expect(Array.isArray(required ?? []) && typeof ($defs ?? {}) === "object").toBe(true);
    }
  });

  it.each(titles.filter(hasDocument))(
    "accepts made-up arguments for every tool of %s, and makes requests of them",
    (title) => {
      const { operations } = importAll(readText(title));
      const refused: unknown[] = [];
      for (const { name, listing, operation } of operations) {
        // Nothing here can invent a text for a pattern.
        const input = withoutPatterns(listing.input) as JsonSchemaObject;
        const args = sampleOf(input) as object;
        const checked = untrustedSchemaValidator.compile(input)(args);
        if (checked.ok) resolveOrRefuse(operation, args);
        else if (!CONTRADICTORY.has(name)) refused.push([name, checked.issues]);
      }
      expect(refused).toEqual([]);
    },
  );

  const further = listFurther();
  it.runIf(further.length > 0)(
    "imports everything of the directory of OpenAPI documents",
    () => {
      let tools = 0;
      for (const file of further) tools += importAll(readFileSync(file, "utf8")).report.tools;
      expect(tools).toBeGreaterThan(50_000);
    },
    1_800_000,
  );
});

it("has counts of all documents that can be fetched", () => {
  expect(Object.keys(COUNTS).toSorted()).toEqual(titles.toSorted());
});
