import { cleanText, type JsonSchemaObject, type ToolAnnotations } from "@toolwire/server";
import { isObject } from "@toolwire/protocol/internal";

/** The most characters in a description that is passed on. Longer ones fill the context of models. */
const MAX_DESCRIPTION = 8192;

/** How deep schemas are read. Deeper parts stay as they are. */
const MAX_DEPTH = 64;

/** Members of a schema that are data, in which nothing is changed. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example"]);

/** Cleans a text that an upstream wrote, and cuts it. An upstream may write anything in its place, which is left out. */
export function cleanWords(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  return cleanText(text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text);
}

/** Cleans the titles and descriptions in a schema. Names, values and patterns are left alone: they have to fit. */
export function cleanSchema(schema: JsonSchemaObject): JsonSchemaObject {
  return clean(schema, 0) as JsonSchemaObject;
}

function clean(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (DATA.has(key)) return [key, member];
      const isText = typeof member === "string" && (key === "description" || key === "title" || key === "$comment");
      return [key, isText ? cleanWords(member) : clean(member, depth + 1)];
    }),
  );
}

/** Cleans the texts of annotations. */
export function cleanAnnotations(annotations: ToolAnnotations | undefined): ToolAnnotations | undefined {
  if (annotations?.title === undefined) return annotations;
  return { ...annotations, title: cleanWords(annotations.title) };
}
