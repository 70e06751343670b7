import { describe, expect, test } from "vitest";
import { knownFields, type Thing } from "../../src/legacy/rewrite.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { published, SOURCES, type Schema, type SchemaSource } from "../spec-data.ts";

/** Where the official schemas describe a thing, and the members to compare. */
const PLACES: { readonly [T in Thing]: readonly (readonly [path: string, ...fields: string[]])[] } = {
  result: [["ListToolsResult", "resultType", "ttlMs", "cacheScope"]],
  tool: [["Tool", "title", "outputSchema", "annotations", "icons", "_meta"]],
  listed: [
    ["Resource", "title", "icons", "_meta"],
    ["ResourceTemplate", "title", "icons", "_meta"],
    ["Prompt", "title", "icons", "_meta"],
  ],
  promptArgument: [["PromptArgument", "title"]],
  promptReference: [["PromptReference", "title"]],
  completeParams: [["CompleteRequest/params", "context"]],
  progressParams: [["ProgressNotification/params", "message"]],
  annotations: [["Resource/annotations", "lastModified"]],
  content: [
    ["TextContent", "_meta"],
    ["ResourceLink", "icons", "_meta"],
  ],
  resourceContents: [["TextResourceContents", "_meta"]],
  root: [["Root", "_meta"]],
  createMessageParams: [["CreateMessageRequest/params", "tools", "toolChoice"]],
  elicitParams: [["ElicitRequest/params", "mode", "elicitationId"]],
  formSchema: [["ElicitRequest/params/requestedSchema", "$schema"]],
  implementation: [["Implementation", "title", "description", "websiteUrl", "icons"]],
  serverCapabilities: [["ServerCapabilities", "completions"]],
  clientCapabilities: [["ClientCapabilities", "elicitation"]],
  elicitationCapability: [["ClientCapabilities/elicitation", "form", "url"]],
  samplingCapability: [["ClientCapabilities/sampling", "tools", "context"]],
  rootsCapability: [["ClientCapabilities/roots", "listChanged"]],
};

const CASES = Object.entries(PLACES).flatMap(([thing, places]) =>
  places.map(([path, ...fields]) => [path, thing as Thing, fields] as const),
);

const SCHEMAS = SOURCES.flatMap((source) => REVISIONS.map((revision) => ({ revision, by: source.name, source })));

/** The SDK handles these members before it validates a result, so its schemas do not describe them. */
const UNDESCRIBED = { revision: "2026-07-28", path: "ListToolsResult", fields: ["resultType", "ttlMs", "cacheScope"] };

test("the published schemas describe no member of all results", () => {
  const described = find(published, "2026-07-28", UNDESCRIBED.path).flatMap(({ properties }) =>
    Object.keys(properties!),
  );
  expect(described.filter((field) => UNDESCRIBED.fields.includes(field))).toEqual([]);
});

describe.each(SCHEMAS)("the members that $revision has, by $by", ({ revision, source }) => {
  const isDescribed = (path: string): boolean =>
    find(source, revision, path).length > 0 &&
    !(source === published && revision === UNDESCRIBED.revision && path === UNDESCRIBED.path);

  test.each(CASES.filter(([path]) => isDescribed(path)))("%s", (path, thing, fields) => {
    const everything = Object.fromEntries(fields.map((field) => [field, {}]));
    const kept = knownFields<object>(revision, thing)?.(everything) ?? everything;
    const described = find(source, revision, path).flatMap(({ properties }) => Object.keys(properties ?? {}));
    expect(Object.keys(kept)).toEqual(fields.filter((field) => described.includes(field)));
  });
});

/** All schemas at a path: a definition, then members of it. */
function find(source: SchemaSource, revision: Revision, path: string): Schema[] {
  const [name, ...members] = path.split("/");
  return members.reduce(
    (found, member) => found.flatMap(({ properties }) => source.expand(revision, properties?.[member])),
    source.expand(revision, source.definitionsOf(revision)[name!]),
  );
}
