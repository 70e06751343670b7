import { untrustedSchemaValidator } from "@toolwire/json-schema";
import type { JsonSchemaObject, StandardSchema } from "@toolwire/server";

/**
 * Makes a schema of a document check values by the rules for schemas of others, whatever validator the server has: no code is made
 * of it, the work is bounded, and formats are annotations, because documents say `date-time` where their APIs take dates.
 */
export function untrustedSchema(schema: JsonSchemaObject): StandardSchema<unknown, unknown> {
  const validate = untrustedSchemaValidator.compile(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "toolwire",
      validate(value) {
        const checked = validate(value);
        if (checked.ok) return { value: checked.value };
        return { issues: checked.issues.map(({ path, message }) => ({ message, path: readPath(path) })) };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/** The parts of a path that an issue has as text: `items[2].name`, `["x y"]`. */
function readPath(path: string): readonly PropertyKey[] {
  const parts = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return Array.from(parts, ([, index, quoted, name]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name! : (JSON.parse(quoted) as string);
  });
}
