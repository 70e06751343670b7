import { describe, expect, test } from "vitest";
import { allowsContent, errorCodeFor, hasFeature } from "../../src/revisions/features.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { SOURCES, type SchemaSource } from "../spec-data.ts";

/** The kinds of content that a revision has in a member of a definition. */
function kindsBy(source: SchemaSource, revision: Revision, holder: string, member: string): string[] {
  const schema = source.definitionsOf(revision)[holder]!.properties![member]!;
  const types = source.expand(revision, schema).flatMap(({ properties }) => properties?.["type"]?.const ?? []);
  return [...new Set(types as string[])];
}

const SCHEMAS = SOURCES.flatMap((source) => REVISIONS.map((revision) => ({ revision, by: source.name, source })));
const KINDS = ["text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result"];

describe("the features of a revision", () => {
  test.each(SCHEMAS)("$revision has the kinds of content that $by have", ({ revision, source }) => {
    const inMessages = KINDS.filter((kind) => allowsContent(revision, kind, "message"));
    const inSampling = KINDS.filter((kind) => allowsContent(revision, kind, "sampling"));
    expect(inMessages.toSorted()).toEqual(kindsBy(source, revision, "PromptMessage", "content").toSorted());
    expect(inSampling.toSorted()).toEqual(kindsBy(source, revision, "SamplingMessage", "content").toSorted());
  });

  test.each(SCHEMAS)("$revision allows errors without an id if $by do", ({ revision, source }) => {
    const definitions = source.definitionsOf(revision);
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
