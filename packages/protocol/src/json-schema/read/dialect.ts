import { UsageError } from "../../errors.ts";

/** The versions of JSON Schema that are understood. */
export type Dialect = "2020-12" | "2019-09" | "draft-07";

/** MCP assumes this one where a schema does not say. */
const DEFAULT_DIALECT: Dialect = "2020-12";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
]);

/** Reads `$schema`. The scheme and an empty fragment make no difference: both forms are in wide use. */
export function readDialect($schema: unknown): Dialect {
  if ($schema === undefined) return DEFAULT_DIALECT;
  const dialect =
    typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
  if (dialect === undefined) {
    const supported = [...DIALECTS.keys()].map((uri) =>
      uri.includes("draft-07") ? `http://${uri}#` : `https://${uri}`,
    );
    throw new UsageError(
      "UNSUPPORTED_DIALECT",
      `$schema is ${JSON.stringify($schema)}; supported are ${supported.join(", ")}. Without $schema, 2020-12 is assumed.`,
    );
  }
  return dialect;
}
