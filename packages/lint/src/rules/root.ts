import { isObject } from "@toolwire/protocol/internal";
import type { Rule } from "../rule.ts";
import { SOURCES } from "./sources.ts";

/** What APIs demand of the root of an input. */

/** Arguments travel by name. */
export const rootObject: Rule = {
  id: "root-object",
  severity: "error",
  summary: "the input of a tool is an object at the root",
  hosts: [],
  sources: [SOURCES.toolsPage, SOURCES.openaiRoot],
  *tool({ tool: { inputSchema } }) {
    if (isObject(inputSchema) && (inputSchema as { type?: unknown }).type === "object") return;
    yield {
      path: ["inputSchema", "type"],
      message:
        'The input has no `type: "object"` at the root. Arguments have names, so put other values into a property: ' +
        '{ type: "object", properties: { value: … } }.',
    };
  },
};

/** Unions at the root: each of the three big APIs refuses the whole request for one of them. */
export const rootUnion: Rule = {
  id: "root-union",
  severity: "error",
  summary: "no union or other combination at the root of an input",
  hosts: ["anthropic", "openai", "openai-strict", "gemini"],
  sources: [SOURCES.anthropicRoot, SOURCES.openaiRoot, "https://github.com/mobile-next/mobile-mcp/issues/344"],
  *schema({ schema, path }) {
    if (path.length > 0) return;
    for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum"]) {
      if (!Object.hasOwn(schema, keyword)) continue;
      const isForAll = keyword !== "not" && keyword !== "enum";
      yield {
        path: [keyword],
        hosts: isForAll ? rootUnion.hosts : ["openai", "openai-strict"],
        message:
          `The input has \`${keyword}\` at the root, and one such tool makes the API refuse all requests of the session. Write one ` +
          "object with all properties, require only what every case needs, and say in the descriptions what goes together.",
      };
    }
  },
};

/** OpenAI wants `properties` even if there are none. */
export const rootProperties: Rule = {
  id: "root-properties",
  severity: "error",
  summary: "an input has `properties`, even if it is empty",
  hosts: ["openai", "openai-strict"],
  sources: ["https://github.com/openai/openai-agents-python/pull/454"],
  *schema({ schema, path }) {
    if (path.length > 0 || isObject(schema["properties"])) return;
    yield {
      path: [],
      message: "The input has no `properties`. Add `properties: {}`, also if the tool takes no argument.",
    };
  },
};

/** The keys of the root are the names of arguments, and one that is not accepted fails all requests. */
export const argumentName: Rule = {
  id: "argument-name",
  severity: "error",
  summary: "names of arguments have up to 64 letters, digits, underscores, dots and hyphens",
  hosts: ["anthropic"],
  sources: [
    "https://github.com/beautyfree/appstore-connect-mcp/issues/2",
    "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
  ],
  *schema({ property, path, level }) {
    // Only the first level is checked there, which the second source has tried.
    if (property === undefined || level !== 1 || path.length !== 2 || ARGUMENT_NAME.test(property)) return;
    yield {
      path,
      message:
        "The name of this argument has other characters than letters, digits, `_`, `.` and `-`, or more than 64. Rename it, and " +
        "map it back in the tool.",
    };
  },
};

/** The names that Anthropic's API accepts as keys of `properties` at the root. */
export const ARGUMENT_NAME: RegExp = /^[A-Za-z0-9_.-]{1,64}$/;
