import { itemsOf, type JsonMembers, memberOf, membersOf, textOf } from "./json-value.ts";
import type {
  BodyModel,
  ContentModel,
  DocumentModel,
  OperationModel,
  ParameterModel,
  ParameterPlace,
  ReaderContext,
  SchemeModel,
  ServerModel,
} from "./model.ts";
import { isSuccess, listOperations, mergeParameters, type RawOperation, readCommonParts } from "./read-paths.ts";
import type { Located } from "./references.ts";
import { readScheme } from "./read-schemes.ts";
import { isJsonType } from "../request/media-type.ts";
import type { ParameterStyle } from "../request/request-spec.ts";

const PLACES: ReadonlySet<unknown> = new Set<ParameterPlace>(["path", "query", "header", "cookie"]);

const STYLES: ReadonlySet<unknown> = new Set<ParameterStyle>([
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
]);

/** Reads OpenAPI 3.0, 3.1 and 3.2. */
export function readOpenApi3(context: ReaderContext): Pick<DocumentModel, "servers" | "schemes" | "operations"> {
  const { root, references } = context;
  const schemes = new Map<string, SchemeModel>();
  for (const [name, value] of membersOf(memberOf(memberOf(root, "components"), "securitySchemes"))) {
    const followed = references.follow({ value, document: references.main });
    schemes.set(name, readScheme(name, followed.problem === undefined ? followed.value : undefined));
  }
  // A document without servers is served where it lies (3.1.2, section 4.8.1).
  const servers = readServers(memberOf(root, "servers"));
  return {
    servers: servers.length === 0 ? [{ url: "/", variables: new Map() }] : servers,
    schemes,
    operations: listOperations(context).map((operation) => readOperation(context, operation)),
  };
}

function readServers(value: unknown): readonly ServerModel[] {
  return itemsOf(value).flatMap((server) => {
    const url = textOf(memberOf(server, "url"));
    if (url === undefined) return [];
    const variables = membersOf(memberOf(server, "variables")).map(([name, variable]) => {
      const initial = memberOf(variable, "default");
      // YAML reads ports as numbers.
      const text = typeof initial === "number" ? String(initial) : textOf(initial);
      return [name, { value: text, allowed: itemsOf(memberOf(variable, "enum")).map(String) }] as const;
    });
    return [{ url, variables: new Map(variables) }];
  });
}

function readOperation(context: ReaderContext, raw: RawOperation): OperationModel {
  const notes: string[] = [];
  const { value, pathItem } = raw;
  const own = readServers(memberOf(value, "servers"));
  const parameters = mergeParameters(raw.parameters.flatMap((each) => readParameter(context, each, notes)));
  const body = readBody(context, raw);
  return {
    ...readCommonParts(context, raw),
    servers: own.length > 0 ? own : readServers(memberOf(pathItem, "servers")),
    parameters,
    body,
    response: readResponse(context, raw),
    notes,
    problem: raw.problems[0],
  };
}

function readParameter({ references }: ReaderContext, place: Located, notes: string[]): ParameterModel[] {
  const { value, document } = place;
  const name = textOf(memberOf(value, "name"));
  const where = memberOf(value, "in");
  if (name === undefined || !PLACES.has(where)) {
    notes.push(`The parameter ${JSON.stringify(name ?? "without a name")} in ${JSON.stringify(where)} is left out.`);
    return [];
  }
  const [content] = membersOf(memberOf(value, "content"));
  const media = content === undefined ? undefined : references.follow({ value: content[1], document });
  const style = memberOf(value, "style");
  const explode = memberOf(value, "explode");
  return [
    {
      name,
      in: where as ParameterPlace,
      isRequired: memberOf(value, "required") === true || where === "path",
      isDeprecated: memberOf(value, "deprecated") === true,
      description: textOf(memberOf(value, "description")),
      schema:
        media === undefined || media.problem !== undefined
          ? { value: memberOf(value, "schema") ?? {}, document }
          : { value: memberOf(media.value, "schema") ?? {}, document: media.document },
      style: STYLES.has(style) ? (style as ParameterStyle) : undefined,
      explode: typeof explode === "boolean" ? explode : undefined,
      allowReserved: memberOf(value, "allowReserved") === true,
      contentType: content?.[0],
    },
  ];
}

function readBody({ references }: ReaderContext, raw: RawOperation): BodyModel | undefined {
  const value = memberOf(raw.value, "requestBody");
  if (value === undefined) return undefined;
  const body = references.follow({ value, document: raw.document });
  if (body.problem !== undefined) {
    raw.problems.push(`The body cannot be read: ${body.problem}.`);
    return undefined;
  }
  const isRequired = memberOf(body.value, "required");
  return {
    isRequired: typeof isRequired === "boolean" ? isRequired : undefined,
    description: textOf(memberOf(body.value, "description")),
    contents: readContents({ value: memberOf(body.value, "content"), document: body.document }, references),
  };
}

function readContents({ value, document }: Located, references: ReaderContext["references"]): readonly ContentModel[] {
  return membersOf(value).flatMap(([mediaType, raw]) => {
    // Documents have other members here by mistake, such as `examples`.
    if (!mediaType.includes("/")) return [];
    const media = references.follow({ value: raw, document });
    if (media.problem !== undefined) return [];
    const encoding: JsonMembers = Object.fromEntries(membersOf(memberOf(media.value, "encoding")));
    return [
      { mediaType, schema: { value: memberOf(media.value, "schema") ?? {}, document: media.document }, encoding },
    ];
  });
}

/** The first successful response in JSON. */
function readResponse({ references }: ReaderContext, raw: RawOperation): Located | undefined {
  for (const [status, value] of membersOf(memberOf(raw.value, "responses"))) {
    if (!isSuccess(status)) continue;
    const response = references.follow({ value, document: raw.document });
    if (response.problem !== undefined) continue;
    const contents = readContents(
      { value: memberOf(response.value, "content"), document: response.document },
      references,
    );
    const json = contents.find(({ mediaType }) => isJsonType(mediaType));
    if (json !== undefined) return json.schema;
  }
  return undefined;
}
