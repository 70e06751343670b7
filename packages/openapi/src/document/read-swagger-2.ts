import { itemsOf, type JsonMembers, memberOf, membersOf, textOf, textsOf } from "./json-value.ts";
import type {
  BodyModel,
  DocumentModel,
  OperationModel,
  ParameterModel,
  ReaderContext,
  SchemeModel,
  ServerModel,
} from "./model.ts";
import { isJsonType } from "../request/media-type.ts";
import { isSuccess, listOperations, mergeParameters, type RawOperation, readCommonParts } from "./read-paths.ts";
import { readScheme } from "./read-schemes.ts";
import type { Located } from "./references.ts";

/** Reads Swagger 2. Its parameters are schemas themselves, and bodies are parameters. */
export function readSwagger2(context: ReaderContext): Pick<DocumentModel, "servers" | "schemes" | "operations"> {
  const { root } = context;
  const schemes = new Map<string, SchemeModel>();
  for (const [name, value] of membersOf(memberOf(root, "securityDefinitions"))) {
    schemes.set(name, readScheme(name, value));
  }
  return {
    servers: readServers(root),
    schemes,
    operations: listOperations(context).map((operation) => readOperation(context, operation)),
  };
}

/** `https` comes first, if the API has it. Without a host, the API is where the document lies. */
function readServers(root: JsonMembers): readonly ServerModel[] {
  const host = textOf(memberOf(root, "host"));
  const basePath = textOf(memberOf(root, "basePath")) ?? "/";
  const path = basePath.startsWith("/") ? basePath : `/${basePath}`;
  if (host === undefined) return [{ url: path, variables: new Map() }];
  const given = textsOf(memberOf(root, "schemes")).filter((scheme) => scheme === "https" || scheme === "http");
  const schemes = given.length === 0 ? ["https"] : given.toSorted().toReversed();
  return schemes.map((scheme) => ({ url: `${scheme}://${host}${path}`, variables: new Map() }));
}

function readOperation(context: ReaderContext, raw: RawOperation): OperationModel {
  const notes: string[] = [];
  const parameters = mergeParameters(raw.parameters.flatMap((place) => readParameter(place, notes)));
  return {
    ...readCommonParts(context, raw),
    servers: [],
    parameters: parameters.filter((parameter) => parameter.kind === "parameter"),
    body: readBody(context, raw, parameters),
    response: readResponse(context, raw),
    notes,
    problem: raw.problems[0],
  };
}

/** A parameter as Swagger 2 has it: some are the body, or a field of a form. */
type AnyParameter = Omit<ParameterModel, "in"> &
  (
    | { readonly kind: "parameter"; readonly in: ParameterModel["in"] }
    | { readonly kind: "body"; readonly in: "body" }
    | { readonly kind: "field"; readonly in: "formData" }
  );

function readParameter({ value, document }: Located, notes: string[]): AnyParameter[] {
  const name = textOf(memberOf(value, "name"));
  const where = memberOf(value, "in");
  if (name === undefined && where !== "body") {
    notes.push("A parameter without a name is left out.");
    return [];
  }
  const common = {
    name: name ?? "body",
    isRequired: memberOf(value, "required") === true || where === "path",
    isDeprecated: memberOf(value, "deprecated") === true || memberOf(value, "x-deprecated") === true,
    description: textOf(memberOf(value, "description")),
    allowReserved: false,
    contentType: undefined,
    ...readCollectionFormat(value),
  };
  switch (where) {
    case "path":
    case "query":
    case "header":
      return [{ ...common, kind: "parameter", in: where, schema: { value: schemaOf(value), document } }];
    case "formData":
      return [{ ...common, kind: "field", in: where, schema: { value: schemaOf(value), document } }];
    case "body":
      return [{ ...common, kind: "body", in: where, schema: { value: memberOf(value, "schema") ?? {}, document } }];
    default:
      notes.push(`The parameter ${JSON.stringify(name)} in ${JSON.stringify(where)} is left out.`);
      return [];
  }
}

/** Members of a parameter that are no keywords of a schema. */
const NO_KEYWORDS: ReadonlySet<string> = new Set([
  "name",
  "in",
  "required",
  "description",
  "allowEmptyValue",
  "collectionFormat",
]);

function schemaOf(parameter: unknown): JsonMembers {
  return Object.fromEntries(membersOf(parameter).filter(([key]) => !NO_KEYWORDS.has(key)));
}

function readCollectionFormat(value: unknown): Pick<ParameterModel, "style" | "explode"> {
  if (memberOf(value, "type") !== "array") return { style: undefined, explode: undefined };
  const isQuery = memberOf(value, "in") === "query" || memberOf(value, "in") === "formData";
  switch (memberOf(value, "collectionFormat")) {
    case "multi":
      return { style: "form", explode: true };
    case "ssv":
      return { style: "spaceDelimited", explode: false };
    case "tsv":
      return { style: "tabDelimited", explode: false };
    case "pipes":
      return { style: "pipeDelimited", explode: false };
    default:
      return { style: isQuery ? "form" : "simple", explode: false };
  }
}

function readBody(
  context: ReaderContext,
  raw: RawOperation,
  parameters: readonly AnyParameter[],
): BodyModel | undefined {
  const consumes = memberOf(raw.value, "consumes") ?? memberOf(context.root, "consumes");
  const mediaTypes = textsOf(consumes).filter((type) => type.includes("/"));
  const body = parameters.find(({ kind }) => kind === "body");
  if (body !== undefined) {
    const types = mediaTypes.length === 0 ? ["application/json"] : mediaTypes;
    return {
      isRequired: body.isRequired,
      description: body.description,
      contents: types.map((mediaType) => ({ mediaType, schema: body.schema, encoding: {} })),
    };
  }
  const fields = parameters.filter(({ kind }) => kind === "field");
  return fields.length === 0 ? undefined : readForm(fields, mediaTypes, raw);
}

function readForm(fields: readonly AnyParameter[], mediaTypes: readonly string[], raw: RawOperation): BodyModel {
  const hasFiles = fields.some(({ schema }) => memberOf(schema.value, "type") === "file");
  const multipart = mediaTypes.find((type) => type.startsWith("multipart/"));
  const form = mediaTypes.find((type) => type.startsWith("application/x-www-form-urlencoded"));
  const mediaType = hasFiles ? (multipart ?? "multipart/form-data") : (form ?? multipart ?? FORM);
  const properties = fields.map(({ name, schema, description }) => {
    const described = description === undefined ? {} : { description };
    return [name, { ...(schema.value as JsonMembers), ...described }] as const;
  });
  const encoding = fields.flatMap(({ name, style, explode }) =>
    style === undefined ? [] : [[name, { style, explode }] as const],
  );
  const value = {
    type: "object",
    properties: Object.fromEntries(properties),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
  return {
    isRequired: fields.some(({ isRequired }) => isRequired),
    description: undefined,
    contents: [{ mediaType, schema: { value, document: raw.document }, encoding: Object.fromEntries(encoding) }],
  };
}

const FORM = "application/x-www-form-urlencoded";

function readResponse(context: ReaderContext, raw: RawOperation): Located | undefined {
  const produces = itemsOf(memberOf(raw.value, "produces") ?? memberOf(context.root, "produces"));
  if (produces.length > 0 && !textsOf(produces).some(isJsonType)) return undefined;
  for (const [status, value] of membersOf(memberOf(raw.value, "responses"))) {
    if (!isSuccess(status)) continue;
    const response = context.references.follow({ value, document: raw.document });
    const schema = response.problem === undefined ? memberOf(response.value, "schema") : undefined;
    if (response.problem === undefined && schema !== undefined) return { value: schema, document: response.document };
  }
  return undefined;
}
