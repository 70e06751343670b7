import { describeIssues, describeSchema, isStandardSchema, toForm, type AnySchema } from "@toolwire/json-schema";
import { refuseObjectOfSchemas } from "@toolwire/json-schema/internal";
import type { ElicitFormParams, FormSchema } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { Elicited, FormQuestion } from "../define/context.ts";
import type { Schemas } from "../registry/schemas.ts";
import type { Reading } from "./questions.ts";

/** Makes the request that asks the user to fill in a form. Throws a `UsageError` for a schema that no form can show. */
export function writeFormRequest({ message, schema }: FormQuestion): ElicitFormParams {
  const described = isStandardSchema(schema) ? describeSchema(schema, "input").jsonSchema : schema;
  if (isObject(described)) refuseObjectOfSchemas(described);
  return { mode: "form", message, requestedSchema: toForm(described) as FormSchema };
}

/** Checks a filled-in form against the schema that it was asked for with. */
export async function readForm(
  schemas: Schemas,
  schema: AnySchema,
  content: unknown,
): Promise<Reading<Elicited<unknown>>> {
  const checked = await schemas.describe(schema, "input").validate(content ?? {});
  return checked.ok
    ? { ok: true, value: { action: "accept", content: checked.value } }
    : { ok: false, problem: describeIssues(checked.issues) };
}
