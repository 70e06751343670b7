import { describe, expect, test } from "vitest";
import { knownFields, type Thing } from "../../src/legacy/rewrite.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { definitionsOf, hasSpec, type Schema } from "../spec-data.ts";

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

describe.runIf(hasSpec).each(REVISIONS)("the members that %s has, by its schema", (revision) => {
  test.each(CASES.filter(([path]) => hasSpec && find(revision, path).length > 0))("%s", (path, thing, fields) => {
    const everything = Object.fromEntries(fields.map((field) => [field, {}]));
    const kept = knownFields<object>(revision, thing)?.(everything) ?? everything;
    const described = find(revision, path).flatMap(({ properties }) => Object.keys(properties ?? {}));
    expect(Object.keys(kept)).toEqual(fields.filter((field) => described.includes(field)));
  });
});

/** All schemas at a path: a definition, then members of it. */
function find(revision: Revision, path: string): Schema[] {
  const definitions = definitionsOf(revision);
  const resolve = (schema: Schema | undefined): Schema[] => {
    if (schema?.$ref !== undefined) return resolve(definitions[schema.$ref.split("/").at(-1)!]);
    if (schema?.anyOf !== undefined) return schema.anyOf.flatMap(resolve);
    return schema === undefined ? [] : [schema];
  };
  const [name, ...members] = path.split("/");
  return members.reduce(
    (found, member) => found.flatMap(({ properties }) => resolve(properties?.[member])),
    resolve(definitions[name!]),
  );
}
