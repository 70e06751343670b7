/** Schemas with the argument `_fields` added, by which a model chooses members of a response. */
import type { AnySchema, JsonSchemaObject } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { describeSchema, isStandardSchema } from "@toolwire/json-schema";
import { FIELDS_ARGUMENT, FIELDS_SCHEMA } from "../response/fields.ts";

/** Adds the argument. A schema of a library validates all others as before. */
export function withFieldsArgument(input: AnySchema): AnySchema {
  const { jsonSchema, validate } = describeSchema(input, "input");
  const listed = extend(jsonSchema);
  if (!isStandardSchema(input)) return listed;
  const fields = describeSchema(
    { type: "object", properties: { [FIELDS_ARGUMENT]: FIELDS_SCHEMA }, additionalProperties: false },
    "input",
  );
  return {
    "~standard": {
      version: 1,
      vendor: "toolwire",
      async validate(value: unknown) {
        const { [FIELDS_ARGUMENT]: chosen, ...others } = value as { readonly [name: string]: unknown };
        const [checked, checkedFields] = [
          await validate(others),
          await fields.validate(chosen === undefined ? {} : { [FIELDS_ARGUMENT]: chosen }),
        ];
        if (checked.ok && checkedFields.ok) {
          return {
            value: chosen === undefined ? checked.value : { ...(checked.value as object), [FIELDS_ARGUMENT]: chosen },
          };
        }
        const issues = [...(checked.ok ? [] : checked.issues), ...(checkedFields.ok ? [] : checkedFields.issues)];
        return { issues: issues.map(({ path, message }) => ({ message, path: path === "" ? [] : [path] })) };
      },
      jsonSchema: { input: () => listed, output: () => listed },
    },
  };
}

function extend(schema: unknown): JsonSchemaObject {
  const object = isObject(schema) ? schema : {};
  const properties = isObject(object["properties"]) ? object["properties"] : {};
  return { ...object, type: "object", properties: { ...properties, [FIELDS_ARGUMENT]: FIELDS_SCHEMA } };
}
