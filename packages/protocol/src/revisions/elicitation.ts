import { UsageError } from "../errors.ts";
import type { ElicitFormParams, ElicitParams, ElicitResult, FormField, FormValue } from "../model/elicitation.ts";
import { hasFeature, unsupported } from "./features.ts";
import { knownFields } from "./fields.ts";
import type { Revision } from "./revision.ts";
import { chain, member, omit, values, type Rewrite } from "./rewrite.ts";

/** What to ask the user, for a revision. Throws a `UsageError` for what it cannot ask. */
export function elicitParamsRewrite(revision: Revision): Rewrite<ElicitParams> {
  const form = hasFeature(revision, "richForms") ? undefined : simpleForm(revision);
  return chain<ElicitParams>(
    (params) => {
      const isUrl = params.mode === "url";
      if (!hasFeature(revision, isUrl ? "urlElicitation" : "elicitation")) {
        throw unsupported(revision, isUrl ? "send the user to a page" : "ask the user");
      }
      if (isUrl && revision === "2025-11-25" && params.elicitationId === undefined) {
        throw new UsageError("INVALID_ARGUMENT", 'In 2025-11-25, `mode: "url"` takes an unused `elicitationId`.');
      }
      return isUrl || form === undefined ? params : form(params);
    },
    knownFields(revision, "elicitParams"),
  );
}

/** The answer of the user, for a revision. */
export function elicitResultRewrite(revision: Revision): Rewrite<ElicitResult> {
  if (hasFeature(revision, "richForms")) return undefined;
  return member(
    "content",
    values<FormValue>((value) => (typeof value === "object" ? value.join(", ") : value)),
  );
}

/**
 * Undoes what {@link elicitParamsRewrite} did to a form: where several choices had to be asked for as a line of text,
 * the text becomes the list of choices again. Pass the form as it was before. Choices with a comma in their name come
 * back in pieces, so check the answer as you would check any.
 */
export function restoreElicitResult(revision: Revision, params: ElicitParams, result: ElicitResult): ElicitResult {
  const { content } = result;
  if (hasFeature(revision, "richForms") || params.mode === "url" || content === undefined) return result;
  const { properties } = params.requestedSchema;
  const entries = Object.entries(content).map(([name, value]): [string, FormValue] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, field?.type === "array" && typeof value === "string" ? splitChoices(field, value) : value];
  });
  return { ...result, content: Object.fromEntries(entries) };
}

type MultiSelectField = Extract<FormField, { type: "array" }>;

function splitChoices(field: MultiSelectField, text: string): string[] {
  const choices = choicesOf(field);
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => choices.find(({ title }) => title === part)?.const ?? part);
}

function choicesOf({ items }: MultiSelectField): readonly { const: string; title: string }[] {
  return "anyOf" in items ? items.anyOf : items.enum.map((value) => ({ const: value, title: value }));
}

/** Forms of 2025-06-18 know no defaults but those of yes and no, one way to write choices, and one choice at a time. */
function simpleForm(revision: Revision): (params: ElicitFormParams) => ElicitFormParams {
  const schema = chain<ElicitFormParams["requestedSchema"]>(
    knownFields(revision, "formSchema"),
    member("properties", values(simpleField)),
  );
  return member<ElicitFormParams, "requestedSchema">("requestedSchema", schema) ?? ((params) => params);
}

function simpleField(field: FormField): FormField {
  if (field.type === "boolean") return field;
  if (field.type === "array") {
    const { title, description = "Any of these" } = field;
    const names = choicesOf(field).map((choice) => choice.title);
    return { type: "string", title, description: `${description} (separated by commas: ${names.join(", ")})` };
  }
  const plain = omit(field, ["default"]);
  if (!("oneOf" in plain)) return plain;
  const { oneOf, ...rest } = plain;
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}
