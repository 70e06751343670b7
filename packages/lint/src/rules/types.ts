import { isObject } from "@toolwire/protocol/internal";
import type { Host } from "../hosts.ts";
import type { Rule } from "../rule.ts";
import { type Keywords, typesOf } from "../walk/schema-nodes.ts";
import { SOURCES } from "./sources.ts";

/** Types of values, and what depends on them. */

const GEMINI: readonly Host[] = ["gemini"];

/** Gemini's `type` is one value of an enumeration, not a list. */
export const typeList: Rule = {
  id: "type-list",
  severity: "error",
  summary: "`type` is one name, not a list",
  hosts: GEMINI,
  sources: [
    SOURCES.geminiWorkspace,
    "https://github.com/WordPress/ai-provider-for-google/issues/33",
    "https://github.com/zed-industries/zed/issues/53919",
  ],
  *schema({ schema, path }) {
    if (!Array.isArray(schema["type"])) return;
    yield {
      path: [...path, "type"],
      message:
        "`type` is a list. Name one type and leave the property out of `required` instead of allowing null, or list the " +
        "cases in `anyOf`.",
    };
  },
};

/** A schema without a type says nothing to a model, and Gemini wants one. */
export const typeMissing: Rule = {
  id: "type-missing",
  severity: "warning",
  summary: "each property has a type",
  hosts: GEMINI,
  sources: [SOURCES.geminiSchema],
  *schema({ schema, path, property }) {
    if (
      property === undefined ||
      ["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"].some((key) => Object.hasOwn(schema, key))
    ) {
      return;
    }
    yield { path, message: "This property has no `type`, so that a model can only guess what to send. Name one." };
  },
};

/** Enumerations of Gemini's API are lists of strings. */
export const enumType: Rule = {
  id: "enum-type",
  severity: "error",
  summary: "`enum` has strings only",
  hosts: GEMINI,
  sources: [SOURCES.geminiSchema, SOURCES.geminiWorkspace],
  *schema({ schema, path }) {
    const values = schema["enum"];
    if (!Array.isArray(values)) return;
    const [type = "string"] = typesOf(schema);
    if (type === "string" && values.every((value) => typeof value === "string")) return;
    yield {
      path: [...path, "enum"],
      message: "`enum` has values that are no strings. Use strings, or name the values in the description.",
    };
  },
};

/** A list without `items`. */
export const arrayItems: Rule = {
  id: "array-items",
  severity: "error",
  summary: "a list says what its items are",
  hosts: ["openai", "openai-strict", "gemini"],
  sources: [
    "https://github.com/github/copilot-cli/issues/4835",
    "https://github.com/matthewhand/mcp-openapi-proxy/issues/16",
  ],
  *schema({ schema, path }) {
    if (!typesOf(schema).includes("array") || isSchema(schema["items"])) return;
    yield {
      path,
      message: 'This list has no `items`. Say what its items are: { type: "array", items: { type: "string" } }.',
    };
  },
};

/** Gemini knows two formats of strings. The strict mode of OpenAI knows nine. */
export const format: Rule = {
  id: "format",
  severity: "error",
  summary: "`format` is one that the API knows",
  hosts: ["gemini", "openai-strict"],
  sources: [
    "https://github.com/labring/aiproxy/pull/312",
    "https://github.com/enechange/collmbo/pull/195",
    "https://github.com/posit-dev/chatlas/pull/255",
    SOURCES.openaiStrict,
  ],
  *schema({ schema, path }) {
    const name = schema["format"];
    if (typeof name !== "string") return;
    const isText = typesOf(schema).includes("string");
    const hosts: Host[] = [];
    if (isText ? !GEMINI_TEXT_FORMATS.has(name) : !GEMINI_NUMBER_FORMATS.has(name)) hosts.push("gemini");
    if (isText && !STRICT_FORMATS.has(name)) hosts.push("openai-strict");
    if (hosts.length === 0) return;
    yield {
      path: [...path, "format"],
      hosts,
      message:
        "This API refuses formats that it does not know. Write the form of the value into the description instead.",
    };
  },
};

/** Formats of strings that Gemini's API accepts. */
export const GEMINI_TEXT_FORMATS: ReadonlySet<string> = new Set(["enum", "date-time"]);

/** Formats of numbers that Gemini's API accepts. */
export const GEMINI_NUMBER_FORMATS: ReadonlySet<string> = new Set(["float", "double", "int32", "int64"]);

const STRICT_FORMATS: ReadonlySet<string> = new Set(
  "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
);

function isSchema(value: unknown): value is Keywords | boolean {
  return typeof value === "boolean" || isObject(value);
}
