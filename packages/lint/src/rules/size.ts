import { isObject } from "@toolwire/protocol/internal";
import type { Host } from "../hosts.ts";
import type { Rule } from "../rule.ts";
import { MAX_LEVELS } from "../walk/schema-nodes.ts";
import { SOURCES } from "./sources.ts";

/** How large and how deep a schema may be. */

const STRICT: readonly Host[] = ["openai-strict"];
const STRICT_SOURCES = [SOURCES.openaiStrict, SOURCES.openaiSubset];

/** The limits of OpenAI's strict mode. */
const MAX_STRICT_LEVELS = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM_VALUES = 1_000;
const MAX_NAMES_LENGTH = 120_000;

/** A list of so many values is read by nobody, and costs tokens with each request. */
const MANY_VALUES = 100;

/** Nesting. */
export const schemaDepth: Rule = {
  id: "schema-depth",
  severity: "error",
  summary: `schemas are nested at most ${MAX_STRICT_LEVELS} levels deep`,
  hosts: STRICT,
  sources: STRICT_SOURCES,
  *tool({ nodes }) {
    const deep = nodes.find(({ level }) => level > MAX_STRICT_LEVELS);
    if (deep === undefined) return;
    yield {
      path: ["inputSchema", ...deep.path],
      message: `The input is nested more than ${MAX_STRICT_LEVELS} levels deep. Take ids instead of whole objects, or split the tool.`,
    };
  },
};

/** A schema that is not even read to its end here: no model's API would take it. */
export const schemaUnreadable: Rule = {
  id: "schema-unreadable",
  severity: "error",
  summary: `schemas have at most 5000 places and ${MAX_LEVELS} levels`,
  hosts: [],
  sources: [],
  *tool({ isComplete }) {
    if (isComplete) return;
    yield {
      path: ["inputSchema"],
      message: "The input is so large or so deep that only its beginning was looked at. Split the tool.",
    };
  },
};

/** Size in bytes, which a model reads with every request. */
export const schemaSize: Rule = {
  id: "schema-size",
  severity: "warning",
  summary: "the schema of one tool is small",
  hosts: [],
  sources: ["https://github.com/anthropics/claude-code/issues/11364"],
  *tool({ inputBytes }, { limits }) {
    if (inputBytes <= limits.maxSchemaBytes) return;
    yield {
      path: ["inputSchema"],
      message:
        `The input takes ${inputBytes} bytes, about ${Math.ceil(inputBytes / 4)} tokens of every request. Leave out what few calls ` +
        "need, and shorten descriptions.",
    };
  },
};

/** Properties and values of enumerations, all together. */
export const schemaCounts: Rule = {
  id: "schema-counts",
  severity: "error",
  summary: `at most ${MAX_PROPERTIES} properties and ${MAX_ENUM_VALUES} values of enumerations`,
  hosts: STRICT,
  sources: [...STRICT_SOURCES, "https://community.openai.com/t/500-enums-limitation-in-structured-output/974416"],
  *tool({ nodes }) {
    let properties = 0;
    let values = 0;
    let names = 0;
    for (const { schema, property } of nodes) {
      if (property !== undefined) properties += 1;
      names += property?.length ?? 0;
      for (const value of valuesOf(schema)) {
        values += 1;
        names += typeof value === "string" ? value.length : 0;
      }
    }
    const counts: readonly (readonly [number, number, string])[] = [
      [properties, MAX_PROPERTIES, "properties"],
      [values, MAX_ENUM_VALUES, "values of enumerations"],
      [names, MAX_NAMES_LENGTH, "characters in names and values"],
    ];
    for (const [count, most, what] of counts) {
      if (count <= most) continue;
      yield {
        path: ["inputSchema"],
        message: `The input has ${count} ${what}; strict mode takes ${most}. Split the tool.`,
      };
    }
  },
};

/** A long enumeration. */
export const enumLength: Rule = {
  id: "enum-length",
  severity: "warning",
  summary: `an enumeration has at most ${MANY_VALUES} values`,
  hosts: [],
  sources: [SOURCES.openaiStrict],
  *schema({ schema, path }) {
    const { length } = valuesOf(schema);
    if (length <= MANY_VALUES) return;
    yield {
      path: [...path, "enum"],
      message:
        `\`enum\` has ${length} values, which every request carries. Take any text, check it in the tool, and name near values in ` +
        "the error; or add a tool that searches them.",
    };
  },
};

/** Objects in strict mode say that they are complete. */
export const strictObjects: Rule = {
  id: "strict-objects",
  severity: "error",
  summary: "strict mode: `additionalProperties: false`, and all properties are required",
  hosts: STRICT,
  sources: [
    SOURCES.openaiStrict,
    "https://github.com/vercel/ai/issues/6704",
    "https://github.com/github/github-mcp-server/issues/376",
  ],
  *schema({ schema, path }) {
    const { type, properties, required, additionalProperties } = schema;
    if (type !== "object" && !isObject(properties)) return;
    if (additionalProperties !== false) {
      yield { path, message: "Strict mode wants `additionalProperties: false` in every object." };
    }
    const named: readonly unknown[] = Array.isArray(required) ? required : [];
    const known = new Set(named);
    const optional = isObject(properties) ? Object.keys(properties).filter((name) => !known.has(name)) : [];
    if (optional.length === 0) return;
    yield {
      path: [...path, "required"],
      message:
        "Strict mode wants every property in `required`. One that may be left out is written as a union with null.",
    };
  },
};

function valuesOf({ enum: values }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}
