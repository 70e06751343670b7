import { isObject } from "@toolwire/protocol/internal";
import { followPointer } from "@toolwire/json-schema/internal";
import type { Host } from "../hosts.ts";
import type { Rule } from "../rule.ts";
import { SOURCES } from "./sources.ts";

/** Keywords of JSON Schema that an API does not have. */

/** The members of a schema in Gemini's API. Others are unknown fields there, for which it refuses the request. */
export const GEMINI_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "additionalProperties anyOf default description enum example format items maxItems maxLength maxProperties maximum " +
    "minItems minLength minProperties minimum nullable pattern properties propertyOrdering required title type"
  ).split(" "),
);

/** Keywords that rules of their own are about. */
const ELSEWHERE: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions"]);

/** Keywords that the strict mode of OpenAI refuses. */
const NOT_STRICT: ReadonlySet<string> = new Set(
  "allOf oneOf not if then else dependentRequired dependentSchemas patternProperties".split(" "),
);

/** Keywords that an API does not have. */
export const keyword: Rule = {
  id: "keyword",
  severity: "warning",
  summary: "no keywords that an API does not have",
  hosts: ["gemini", "openai-strict"],
  sources: [SOURCES.geminiSchema, SOURCES.geminiWorkspace, SOURCES.openaiStrict, SOURCES.openaiSubset],
  *schema({ schema, path }) {
    for (const name of Object.keys(schema)) {
      if (ELSEWHERE.has(name) || name.startsWith("x-")) continue;
      const hosts: Host[] = [];
      // Applications leave out the dialect and comments before they pass a schema on.
      if (!GEMINI_KEYWORDS.has(name) && !name.startsWith("$")) hosts.push("gemini");
      if (NOT_STRICT.has(name)) hosts.push("openai-strict");
      if (hosts.length === 0) continue;
      yield {
        path: [...path, name],
        hosts,
        message:
          `The API has no keyword ${JSON.stringify(name.slice(0, 64))}. Some applications leave it out, others have the request ` +
          "refused. Say it in the description instead, and check it in the tool.",
      };
    }
  },
};

/** References, which Gemini does not have at all. Of Anthropic, managed agents refuse them, and messages take them. */
export const reference: Rule = {
  id: "reference",
  severity: "error",
  summary: "no `$ref`: schemas are written where they are used",
  hosts: ["gemini", "anthropic"],
  sources: [SOURCES.geminiSchema, SOURCES.anthropicReferences],
  *schema({ schema, path, root }) {
    for (const name of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const target = schema[name];
      // One that leads nowhere is the matter of another rule.
      if (typeof target !== "string" || !leadsSomewhere(root, target)) continue;
      const place = [...path, name];
      yield {
        path: place,
        hosts: ["gemini"],
        message: "The schema has a reference. Write what it refers to in its place.",
      };
      yield {
        path: place,
        hosts: ["anthropic"],
        severity: "warning",
        message: "The schema has a reference, which managed agents refuse. Write what it refers to in its place.",
      };
    }
  },
};

/** References that nobody can follow. */
export const referenceNowhere: Rule = {
  id: "reference-nowhere",
  severity: "error",
  summary: "a `$ref` leads to a place in the same schema",
  hosts: [],
  sources: [SOURCES.toolsPage],
  *schema({ schema, path, root }) {
    const target = schema["$ref"];
    if (target === undefined || (typeof target === "string" && leadsSomewhere(root, target))) return;
    yield {
      path: [...path, "$ref"],
      message:
        "This reference leads out of the schema or nowhere, and no client fetches schemas. Put the schema into `$defs`, or in " +
        "the place of the reference.",
    };
  },
};

/** Whether a reference leads to a schema in the same document. Anchors and ids are taken for good if they are there at all. */
function leadsSomewhere(root: Readonly<Record<string, unknown>>, target: string): boolean {
  if (target === "#") return true;
  if (!target.startsWith("#/")) return target.startsWith("#");
  const found = followPointer(root, target.slice(1));
  return isObject(found) || typeof found === "boolean";
}

/** A name in `required` that is no property: no call can be right, or the name is a mistake. */
export const requiredUnknown: Rule = {
  id: "required-unknown",
  severity: "warning",
  summary: "`required` names properties that there are",
  hosts: [],
  sources: ["https://json-schema.org/draft/2020-12/json-schema-validation#section-6.5.3"],
  *schema({ schema, path }) {
    const { required, properties } = schema;
    if (!Array.isArray(required) || !isObject(properties)) return;
    const unknown = required.filter((name) => typeof name !== "string" || !Object.hasOwn(properties, name));
    if (unknown.length === 0) return;
    yield {
      path: [...path, "required"],
      message: `\`required\` names ${unknown.length} that \`properties\` does not have. Describe them, or take them out.`,
    };
  },
};
