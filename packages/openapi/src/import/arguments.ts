import type { JsonSchema, JsonSchemaObject } from "@toolwire/server";
import { memberOf } from "../document/json-value.ts";
import type { OperationModel, ParameterModel, ParameterPlace } from "../document/model.ts";
import type { References } from "../document/references.ts";
import { isProtectedHeader } from "../request/headers.ts";
import type { ArgumentPath, BodyProperty, BodySpec, ParameterSpec } from "../request/request-spec.ts";
import type { SchemaConverter } from "../schema/convert.ts";
import { cleanLine } from "../schema/describe.ts";
import type { Texts } from "../schema/texts.ts";
import { typesOf } from "../schema/types.ts";
import { type BodyPlan, hasIllegalNames, planBody } from "./body.ts";
import { type ArgumentPlace, isLegalArgument, nameArguments } from "./names.ts";
import type { OpenApiOptions } from "./options.ts";

/** The arguments of a tool: their schema, and where each of them goes. */
export interface ArgumentPlan {
  /** Without the definitions that it refers to. */
  readonly schema: JsonSchemaObject;
  readonly references: ReadonlySet<string>;
  readonly parameters: readonly ParameterSpec[];
  readonly body: BodySpec | undefined;
  readonly notes: readonly string[];
}

/** The input for planning arguments. */
export interface ArgumentContext {
  readonly converter: SchemaConverter;
  readonly references: References;
  readonly options: Pick<OpenApiOptions, "arguments" | "deepObjectArrays" | "pathSeparators">;
  readonly bodyType: string | undefined;
}

/** One argument, before it has a name. */
interface Entry {
  readonly place: ArgumentPlace;
  /** The name that the API knows. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly parameter?: ParameterModel;
}

/** Plans the arguments of an operation. A text is a reason why there can be no tool. */
export function planArguments(operation: OperationModel, context: ArgumentContext): ArgumentPlan | string {
  const notes: string[] = [...operation.notes];
  const missing = findMissing(operation);
  if (missing !== undefined) return `Its path has {${missing}}, but there is no path parameter of that name`;
  const references = new Set<string>();
  const entries: Entry[] = [];
  for (const parameter of operation.parameters) {
    const refusal = refuseParameter(operation, parameter);
    if (refusal !== undefined) {
      if (refusal !== "") notes.push(refusal);
      continue;
    }
    const entry = convertParameter(operation, parameter, context, references, notes);
    if (!isExplodedCookie(entry)) entries.push(entry);
    else if (entry.isRequired) return `Its cookie "${parameter.name}" is an exploded object, which could be any cookie`;
    else notes.push(`The cookie "${parameter.name}" is left out: it is an exploded object, which could be any cookie.`);
  }
  const body = planOperationBody(operation, context, notes);
  if (typeof body === "string") return body;
  body?.references.forEach((name) => references.add(name));
  const plan =
    context.options.arguments === "grouped" ? group(entries, body, context) : flatten(entries, body, context);
  return { ...plan, references, notes };
}

/** The headers that OpenAPI tells to ignore as parameters (3.1.2, section 4.8.12.2). */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** Why a parameter is left out; empty if that needs no note. */
function refuseParameter({ path }: OperationModel, { name, in: place }: ParameterModel): string | undefined {
  if (place === "path" && !path.includes(`{${name}}`)) return `The path does not have the parameter "${name}".`;
  if (place !== "header") return undefined;
  if (IGNORED_HEADERS.has(name.toLowerCase())) return "";
  return isProtectedHeader(name) ? `The header "${name}" is left out, because arguments must not set it.` : undefined;
}

function isExplodedCookie({ place, schema, parameter }: Entry): boolean {
  if (place !== "cookie" || typeof schema === "boolean" || parameter?.contentType !== undefined) return false;
  return (parameter?.explode ?? true) && typesOf(schema).includes("object");
}

function findMissing({ path, parameters }: OperationModel): string | undefined {
  const declared = new Set(parameters.filter((each) => each.in === "path").map(({ name }) => name));
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  return names.find((name) => !declared.has(name));
}

function convertParameter(
  operation: OperationModel,
  parameter: ParameterModel,
  { converter, references }: ArgumentContext,
  found: Set<string>,
  notes: string[],
): Entry {
  const { name, in: place, schema: located } = parameter;
  const pointer = `/paths/${operation.path}/${operation.method}/parameters/${place}/${name}`;
  const fragment = converter.convert(located, pointer);
  fragment.references.forEach((each) => found.add(each));
  notes.push(...fragment.notes);
  const target = references.follow(located);
  const hasDefault = target.problem === undefined && memberOf(target.value, "default") !== undefined;
  return {
    place,
    name,
    schema: converter.texts.ofNamed(name, describeParameter(fragment.schema, parameter, converter.texts)),
    // The server knows what to do without a value that has a default. A path without a value is another path.
    isRequired: parameter.isRequired && (place === "path" || !hasDefault),
    parameter,
  };
}

/** The parameter knows better what it is for than its schema, which others may share. */
function describeParameter(
  schema: JsonSchema,
  { description, isDeprecated }: ParameterModel,
  texts: Texts,
): JsonSchema {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  const own = description === undefined ? "" : texts.ofSchema(description);
  const text = own === "" ? schema["description"] : own;
  const noted = isDeprecated ? `Deprecated. ${typeof text === "string" ? text : ""}`.trim() : text;
  return {
    ...schema,
    ...(typeof noted === "string" && { description: noted }),
    ...(isDeprecated && { deprecated: true }),
  };
}

function planOperationBody(
  operation: OperationModel,
  { converter, references, bodyType }: ArgumentContext,
  notes: string[],
): BodyPlan | string | undefined {
  if (operation.body === undefined) return undefined;
  if (operation.method === "GET" || operation.method === "HEAD") {
    notes.push(`The body is left out, because ${operation.method} requests have none.`);
    return undefined;
  }
  const pointer = `/paths/${operation.path}/${operation.method}/requestBody`;
  const body = planBody(operation.body, { converter, references, pointer, bodyType });
  if (typeof body !== "string") notes.push(...body.notes);
  else if (operation.body.isRequired !== true) {
    notes.push(`${body}. It is not required, and left out.`);
    return undefined;
  }
  return body;
}

type Planned = Omit<ArgumentPlan, "references" | "notes">;

/** All arguments side by side. */
function flatten(parameters: readonly Entry[], body: BodyPlan | undefined, context: ArgumentContext): Planned {
  const properties: readonly Entry[] =
    body === undefined ? [] : body.isFlat ? entriesOf(body) : [{ place: "body", name: "body", ...wholeBody(body) }];
  const entries = [...parameters, ...properties];
  const names = nameArguments(entries);
  const paths = names.map((name): ArgumentPath => [name]);
  return {
    schema: objectOf(entries.map((entry, index) => [names[index]!, entry])),
    parameters: specsOf(parameters, paths, context),
    body: body === undefined ? undefined : bodySpec(body, paths.slice(parameters.length), context),
  };
}

/** The arguments of each place in an object of their own. */
function group(parameters: readonly Entry[], body: BodyPlan | undefined, context: ArgumentContext): Planned {
  const groups: [string, Entry][] = [];
  const specs: ParameterSpec[] = [];
  for (const place of ["path", "query", "header", "cookie"] as const) {
    const entries = parameters.filter((entry) => entry.place === place);
    if (entries.length === 0) continue;
    const names = nameArguments(entries);
    specs.push(
      ...specsOf(
        entries,
        names.map((name) => [place, name]),
        context,
      ),
    );
    const schema = objectOf(entries.map((entry, index) => [names[index]!, entry]));
    groups.push([place, { place, name: place, schema, isRequired: entries.some(({ isRequired }) => isRequired) }]);
  }
  if (body !== undefined) groups.push(["body", { place: "body", name: "body", ...wholeBody(body) }]);
  return {
    schema: objectOf(groups),
    parameters: specs,
    body: body === undefined ? undefined : bodySpec({ ...body, isFlat: false }, [["body"]], context),
  };
}

function entriesOf({ properties = [] }: BodyPlan): readonly Entry[] {
  return properties.map(({ name, schema, isRequired }) => ({ place: "body", name, schema, isRequired }));
}

/** The body as one argument. Its properties get legal names, if they can be mapped back. */
function wholeBody(body: BodyPlan): Pick<Entry, "schema" | "isRequired"> {
  const { whole, description, isRequired } = body;
  const schema = hasIllegalNames(body) ? renameProperties(entriesOf(body)) : typeof whole === "boolean" ? {} : whole;
  return { schema: description === undefined ? schema : { description, ...schema }, isRequired };
}

function renameProperties(entries: readonly Entry[]): JsonSchemaObject {
  const names = nameArguments(entries);
  return objectOf(entries.map((entry, index) => [names[index]!, entry]));
}

function bodySpec(body: BodyPlan, paths: readonly ArgumentPath[], { options }: ArgumentContext): BodySpec {
  const { contentType, format, isRequired, isFlat, properties = [] } = body;
  const encoding =
    body.encoding === undefined || options.deepObjectArrays === undefined
      ? body.encoding
      : Object.fromEntries(
          Object.entries(body.encoding).map(([name, each]) => [
            name,
            { ...each, deepObjectArrays: options.deepObjectArrays },
          ]),
        );
  const common = { contentType, format, isRequired, ...(encoding !== undefined && { encoding }) };
  if (isFlat) return { ...common, from: { properties: mapProperties(properties, paths) } };
  if (!hasIllegalNames(body)) return { ...common, from: { argument: paths[0]! } };
  const names = nameArguments(entriesOf(body)).map((name) => [...paths[0]!, name]);
  return { ...common, from: { properties: mapProperties(properties, names) } };
}

function mapProperties(
  properties: readonly { readonly name: string }[],
  paths: readonly ArgumentPath[],
): readonly BodyProperty[] {
  return properties.map(({ name }, index) => ({ argument: paths[index]!, property: [name] }));
}

/** The styles that each place has. Documents name others by mistake, and mean the usual one. */
const STYLES: { readonly [place in ParameterPlace]: readonly (string | undefined)[] } = {
  path: ["label", "matrix"],
  query: ["spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"],
  header: [],
  cookie: [],
};

function specsOf(
  entries: readonly Entry[],
  paths: readonly ArgumentPath[],
  { options }: ArgumentContext,
): readonly ParameterSpec[] {
  return entries.map(({ parameter }, index) => {
    const { in: place, name, style, explode, allowReserved, contentType } = parameter!;
    return {
      argument: paths[index]!,
      in: place,
      name,
      ...(STYLES[place].includes(style) && { style }),
      ...(explode !== undefined && { explode }),
      ...(allowReserved && { allowReserved }),
      ...(contentType !== undefined && { contentType }),
      ...(style === "deepObject" &&
        options.deepObjectArrays !== undefined && { deepObjectArrays: options.deepObjectArrays }),
      ...(place === "path" && options.pathSeparators !== undefined && { pathSeparators: options.pathSeparators }),
    };
  });
}

/** An object with exactly these properties. Those whose names had to change say what the API calls them. */
function objectOf(entries: readonly (readonly [string, Entry])[]): JsonSchemaObject {
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, entry]) => [name, isLegalArgument(entry.name) ? entry.schema : noteName(entry)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** `StartTime<` and `StartTime>` become names that do not tell them apart. */
function noteName({ name, schema }: Entry): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const { description } = schema;
  const note = `Sent as ${JSON.stringify(cleanLine(name, 80))}.`;
  return { ...schema, description: typeof description === "string" ? `${note} ${description}` : note };
}
