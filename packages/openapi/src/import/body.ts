import type { JsonSchema, JsonSchemaObject } from "@toolwire/server";
import { itemsOf, type JsonMembers, memberOf, membersOf } from "../document/json-value.ts";
import type { BodyModel, ContentModel } from "../document/model.ts";
import type { Located, References } from "../document/references.ts";
import { essenceOf, isJsonType, isMediaType } from "../request/media-type.ts";
import type { BodyEncoding, BodySpec, ParameterStyle } from "../request/request-spec.ts";
import type { SchemaConverter } from "../schema/convert.ts";
import type { Fragment } from "../schema/fragment.ts";
import { isFileSchema } from "../schema/mend.ts";
import { typesOf } from "../schema/types.ts";
import { isLegalArgument } from "./names.ts";

/** A body as an argument, or as arguments: what is known before names are given. */
export interface BodyPlan {
  readonly contentType: string;
  readonly format: BodySpec["format"];
  readonly encoding: BodySpec["encoding"];
  /** Whether a request without a body is wrong. */
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** The properties, if the body is a plain object. */
  readonly properties: readonly BodyPropertyPlan[] | undefined;
  /** Whether the properties can stand beside the parameters. */
  readonly isFlat: boolean;
  /** The whole body as one schema. */
  readonly whole: JsonSchema;
  readonly references: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** A property of a body that is a plain object. */
interface BodyPropertyPlan {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** More properties than this are one argument: nobody reads so many arguments. */
const MAX_FLAT_PROPERTIES = 40;

/** A file in an argument. Its contents are given, never a path or an address: these could be of any file or any host. */
const FILE_SCHEMA: JsonSchemaObject = {
  type: "object",
  description: "A file. Give its contents in base64 or as text, one of the two.",
  properties: {
    base64: { type: "string", contentEncoding: "base64" },
    text: { type: "string" },
    filename: { type: "string" },
    mimeType: { type: "string" },
  },
  additionalProperties: false,
};

/** Chooses the media type of a body, and converts its schema. A text is a reason why the body cannot be sent. */
export function planBody(
  body: BodyModel,
  { converter, references, pointer, bodyType }: BodyContext,
): BodyPlan | string {
  const content = chooseContent(body.contents, bodyType);
  if (content === undefined) {
    const offered = body.contents.map(({ mediaType }) => mediaType).join(", ");
    return `Its body has ${offered === "" ? "no media type" : `only ${offered.slice(0, 200)}`}, which cannot be sent`;
  }
  const { contentType, format } = formatOf(content.mediaType);
  const description = body.description === undefined ? undefined : converter.texts.ofSchema(body.description);
  const common = {
    contentType,
    format,
    description,
    encoding: undefined,
    properties: undefined,
    isFlat: false,
    notes: [],
  };
  if (format === "binary" || format === "text") {
    const whole = format === "binary" ? FILE_SCHEMA : { type: "string" };
    return { ...common, isRequired: body.isRequired ?? true, whole, references: new Set() };
  }
  const root = converter.convertRoot(content.schema, pointer);
  const encoding = format === "json" ? undefined : readEncoding(content, references, format);
  const properties = readProperties(root.schema, encoding);
  const required = properties?.some(({ isRequired }) => isRequired) ?? false;
  const whole = properties === undefined ? converter.convert(content.schema, pointer) : withFiles(root, properties);
  return {
    ...common,
    encoding,
    // Many documents forget to say that a body is required, but list required properties.
    isRequired: body.isRequired ?? required,
    properties,
    isFlat:
      properties !== undefined &&
      properties.length > 0 &&
      properties.length <= MAX_FLAT_PROPERTIES &&
      !(body.isRequired === false && required),
    whole: whole.schema,
    references: whole.references,
    notes: [...whole.notes],
  };
}

/** The input for planning a body. */
export interface BodyContext {
  readonly converter: SchemaConverter;
  readonly references: References;
  /** A name for the place of the body in the document. */
  readonly pointer: string;
  /** The media type that the user wants. */
  readonly bodyType: string | undefined;
}

/** The first of the kinds that say most about their contents, unless the user has chosen. */
function chooseContent(contents: readonly ContentModel[], bodyType: string | undefined): ContentModel | undefined {
  if (bodyType !== undefined) return contents.find(({ mediaType }) => essenceOf(mediaType) === essenceOf(bodyType));
  const usable = contents.filter(({ mediaType }) => isMediaType(mediaType) || mediaType.includes("*"));
  const ranked = usable.map((content) => ({
    content,
    rank: RANKS.findIndex((fits) => fits(essenceOf(content.mediaType))),
  }));
  return ranked.toSorted((one, other) => one.rank - other.rank)[0]?.content;
}

const RANKS: readonly ((essence: string) => boolean)[] = [
  (essence) => essence === "application/json",
  (essence) => essence === "*/*" || essence === "application/*",
  isJsonType,
  (essence) => essence === "application/x-www-form-urlencoded",
  (essence) => essence.startsWith("multipart/"),
  (essence) => essence.startsWith("text/"),
  () => true,
];

/** Types that are text although their names do not say so. */
const TEXT_TYPES = /^text\/|[/+](?:xml|yaml|x-yaml|graphql|javascript|x-ndjson|ndjson|sql|csv|html)$/;

function formatOf(mediaType: string): Pick<BodySpec, "contentType" | "format"> {
  const essence = essenceOf(mediaType);
  if (essence === "*/*" || essence === "application/*") return { contentType: "application/json", format: "json" };
  if (isJsonType(mediaType)) return { contentType: mediaType, format: "json" };
  if (essence === "application/x-www-form-urlencoded") return { contentType: mediaType, format: "form" };
  if (essence.startsWith("multipart/")) {
    return { contentType: essence.includes("*") ? "multipart/form-data" : mediaType, format: "multipart" };
  }
  if (TEXT_TYPES.test(essence)) {
    return { contentType: essence.includes("*") ? "text/plain" : mediaType, format: "text" };
  }
  return { contentType: mediaType, format: "binary" };
}

/** Keywords that a plain object may have. Others, such as unions, cannot be split into arguments. */
const PLAIN: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "description",
  "title",
  "default",
  "deprecated",
  "minProperties",
  "maxProperties",
  "additionalProperties",
  "unevaluatedProperties",
]);

function readProperties(schema: JsonSchema, encoding: BodySpec["encoding"]): readonly BodyPropertyPlan[] | undefined {
  if (typeof schema === "boolean" || typesOf(schema).join() !== "object") return undefined;
  if (!Object.keys(schema).every((keyword) => PLAIN.has(keyword))) return undefined;
  const { additionalProperties = false, unevaluatedProperties = false, properties, required } = schema;
  if (additionalProperties !== false || unevaluatedProperties !== false) return undefined;
  const names = new Set(itemsOf(required));
  const members = membersOf(properties) as readonly (readonly [string, JsonSchema])[];
  if (members.length === 0) return undefined;
  return members.map(([name, member]) => ({
    name,
    schema:
      encoding !== undefined && Object.hasOwn(encoding, name) && encoding[name]!.isFile === true
        ? fileOf(member)
        : member,
    isRequired: names.has(name),
  }));
}

/** A file, or a list of files, with the description of the property. */
function fileOf(schema: JsonSchema): JsonSchemaObject {
  const { description } = typeof schema === "boolean" ? {} : schema;
  const isList = typeof schema !== "boolean" && typesOf(schema).includes("array");
  const file = isList ? { type: "array", items: FILE_SCHEMA } : FILE_SCHEMA;
  return typeof description === "string" ? { ...file, description: `${description} (a file: base64 or text)` } : file;
}

function withFiles(root: Fragment, properties: readonly BodyPropertyPlan[]): Fragment {
  const members = Object.fromEntries(properties.map(({ name, schema }) => [name, schema]));
  return { ...root, schema: { ...(root.schema as JsonSchemaObject), properties: members } };
}

const FORM_STYLES: ReadonlySet<unknown> = new Set<ParameterStyle>([
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "tabDelimited",
  "deepObject",
]);

/** How the fields of a form are written: by the Encoding Objects of the document, and by what is a file. */
function readEncoding(
  { encoding, schema }: ContentModel,
  references: References,
  format: "form" | "multipart",
): BodySpec["encoding"] {
  const found = new Map<string, BodyEncoding>();
  for (const [name, value] of membersOf(encoding)) {
    const { style, explode, allowReserved, contentType } = value as JsonMembers;
    found.set(name, {
      ...(FORM_STYLES.has(style) && { style: style as ParameterStyle }),
      ...(typeof explode === "boolean" && { explode }),
      ...(allowReserved === true && { allowReserved }),
      ...(typeof contentType === "string" && { contentType }),
    });
  }
  if (format === "multipart") {
    for (const name of findFiles(schema, references)) found.set(name, { ...found.get(name), isFile: true });
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

/** The names of properties that are files or lists of files. Parts of an `allOf` are looked at, too. */
function findFiles(schema: Located, references: References): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const queue = [schema];
  for (let next = queue.pop(); next !== undefined && seen.size < 200; next = queue.pop()) {
    const root = references.follow(next);
    if (root.problem !== undefined || seen.has(root.value)) continue;
    seen.add(root.value);
    for (const [name, value] of membersOf(memberOf(root.value, "properties"))) {
      const property = references.follow({ value, document: root.document });
      if (property.problem !== undefined) continue;
      const items = references.follow({ value: memberOf(property.value, "items"), document: property.document });
      const isList = memberOf(property.value, "type") === "array" && items.problem === undefined;
      if (isFileSchema(property.value) || (isList && isFileSchema(items.value))) names.add(name);
    }
    queue.push(...itemsOf(memberOf(root.value, "allOf")).map((value) => ({ value, document: root.document })));
  }
  return names;
}

/** Whether a name of the body has to be changed for models. */
export function hasIllegalNames({ properties }: BodyPlan): boolean {
  return properties?.some(({ name }) => !isLegalArgument(name)) ?? false;
}
