import type { ImportedOperation } from "../../src/import/imported-operation.ts";
import type { OpenApiOptions } from "../../src/import/options.ts";
import { readOpenApi } from "../../src/import/read-open-api.ts";
import type { ImportReport } from "../../src/import/report.ts";

/** The base URL that tests use. */
export const BASE_URL = "https://api.example.com/v1";

/** A document of one operation at `/things`. */
export function documentOf(operation: object, more: object = {}, method = "post", path = "/things"): object {
  return { openapi: "3.0.3", info: { title: "Things" }, paths: { [path]: { [method]: operation } }, ...more };
}

/** Imports a document of one operation. Throws the reason if it became no tool. */
export function importOne(
  document: object,
  options: OpenApiOptions = {},
): ImportedOperation & { notes: readonly string[] } {
  const { operations, report } = readOpenApi(document, { baseUrl: BASE_URL, ...options });
  const [operation] = operations;
  if (operation === undefined) throw new Error(report.operations[0]?.notes[0] ?? "There is no operation");
  return { ...operation, notes: report.operations[0]!.notes };
}

/** The reason for which the only operation of a document became no tool. */
export function refusalOf(document: object, options: OpenApiOptions = {}): string | undefined {
  const { report } = readOpenApi(document, { baseUrl: BASE_URL, ...options });
  return report.operations.find(({ outcome }) => outcome === "skipped")?.notes[0];
}

/** The names of tools, in the order of the document. */
export function toolNames(report: ImportReport): readonly (string | undefined)[] {
  return report.operations.filter(({ outcome }) => outcome !== "skipped").map(({ name }) => name);
}

/** The properties of the input of a tool. */
export function inputOf({ listing }: ImportedOperation): { [name: string]: { [keyword: string]: unknown } } {
  return listing.input["properties"] as { [name: string]: { [keyword: string]: unknown } };
}

/** A parameter with a schema of one type. */
export function parameter(place: string, name: string, type = "string", more: object = {}): object {
  return { in: place, name, schema: { type }, ...more };
}

/** A body of JSON. */
export function jsonBody(schema: object, more: object = {}): object {
  return { content: { "application/json": { schema } }, ...more };
}
