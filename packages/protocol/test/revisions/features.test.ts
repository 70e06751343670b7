import { describe, expect, test } from "vitest";
import { allowsContent, errorCodeFor, hasFeature } from "../../src/revisions/features.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { definitionsOf, hasSpec, type Schema } from "../spec-data.ts";

/** The kinds of content that a revision has somewhere, by its official schema. */
function officialKinds(revision: Revision, holder: string, member: string): string[] {
  const definitions = definitionsOf(revision);
  const expand = (schema: Schema): string[] => {
    if (schema.$ref !== undefined) return expand(definitions[schema.$ref.split("/").at(-1)!]!);
    if (schema.anyOf !== undefined) return schema.anyOf.flatMap(expand);
    return schema.properties?.["type"] === undefined ? [] : [schema.properties["type"].const as string];
  };
  return [...new Set(expand(definitions[holder]!.properties![member]!))];
}

const KINDS = ["text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result"];

describe("what a revision can do", () => {
  test.runIf(hasSpec).each(REVISIONS)("%s: kinds of content as in its schema", (revision) => {
    const inMessages = KINDS.filter((kind) => allowsContent(revision, kind, "message"));
    const inSampling = KINDS.filter((kind) => allowsContent(revision, kind, "sampling"));
    expect(inMessages.toSorted()).toEqual(officialKinds(revision, "PromptMessage", "content").toSorted());
    expect(inSampling.toSorted()).toEqual(officialKinds(revision, "SamplingMessage", "content").toSorted());
  });

  test.runIf(hasSpec).each(REVISIONS)("%s: errors without an id as in its schema", (revision) => {
    const definitions = definitionsOf(revision);
    const error = definitions["JSONRPCErrorResponse"] ?? definitions["JSONRPCError"];
    expect(hasFeature(revision, "errorsWithoutId")).toBe(!error!.required!.includes("id"));
  });

  test("batches are in 2025-03-26 only", () => {
    expect(REVISIONS.filter((revision) => hasFeature(revision, "batches"))).toEqual(["2025-03-26"]);
  });

  test("content of unknown kinds is in none", () => {
    expect(allowsContent("2026-07-28", "constructor", "message")).toBe(false);
    expect(allowsContent("2026-07-28", "video", "sampling")).toBe(false);
  });

  test("a resource that is not there has another number in the modern era", () => {
    expect(errorCodeFor("2026-07-28", "resourceNotFound")).toBe(-32602);
    for (const revision of REVISIONS.slice(1)) expect(errorCodeFor(revision, "resourceNotFound")).toBe(-32002);
  });

  test("a page that has to be visited first has a number in 2025-11-25 only", () => {
    expect(REVISIONS.map((revision) => errorCodeFor(revision, "urlElicitationRequired"))).toEqual([
      undefined,
      -32042,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
