/**
 * The schemas that tests check messages and tables against. There are two sources:
 *
 * - **published**: the schemas that releases of the official SDK export. They come with the development dependencies, so
 *   they are always there.
 * - **official**: the schema files and example messages of the specification. They are not part of this repository; they
 *   are used if they are beside it, in `../shared/spec`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { readPublishedSchema, UNPUBLISHED } from "../../../apps/evidence/src/wire/schema/published-schemas.ts";
import type { Revision } from "../src/revisions/revision.ts";

const folder = new URL("../../../../shared/spec/", import.meta.url);

/** Whether the official example messages are there. */
export const hasExamples: boolean = existsSync(new URL("examples/", folder));

/** A JSON Schema, as far as these tests look into it. */
export interface Schema {
  required?: string[];
  $ref?: string;
  const?: unknown;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface RootSchema {
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

/** One source of schemas for all revisions. */
export class SchemaSource {
  /** The name of the source in titles of tests. */
  readonly name: string;
  /** Definitions of the specification that this source does not have. */
  readonly lacks: ReadonlySet<string>;
  readonly #read: (revision: Revision) => RootSchema;
  readonly #validators = new Map<Revision, Ajv | Ajv2020>();

  constructor(name: string, read: (revision: Revision) => RootSchema, lacks: ReadonlySet<string> = new Set()) {
    this.name = name;
    this.#read = read;
    this.lacks = lacks;
  }

  /** The definitions in the schema of a revision. */
  definitionsOf(revision: Revision): Record<string, Schema> {
    const { $defs, definitions } = this.#read(revision);
    return $defs ?? definitions ?? {};
  }

  /** The error of a value by a definition of a revision; `undefined` if the value is valid. */
  complaintAbout(revision: Revision, definition: string, value: unknown): string | undefined {
    const ajv = this.#validatorFor(revision);
    const validate = ajv.getSchema(`mcp#/definitions/${definition}`) ?? ajv.getSchema(`mcp#/$defs/${definition}`);
    if (validate === undefined) throw new Error(`${this.name}: ${revision} has no definition of ${definition}`);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  /** The schemas that a schema stands for: references are followed, and unions are taken apart. */
  expand(revision: Revision, schema: Schema | undefined): Schema[] {
    if (schema === undefined) return [];
    if (schema.$ref !== undefined) return this.expand(revision, this.#follow(revision, schema.$ref));
    const members = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    return members === undefined ? [schema] : members.flatMap((member) => this.expand(revision, member));
  }

  #follow(revision: Revision, reference: string): Schema | undefined {
    const [, , name, ...path] = reference.split("/");
    return path.reduce(
      (schema: unknown, key) => (schema as Record<string, unknown> | undefined)?.[key],
      this.definitionsOf(revision)[name!],
    ) as Schema | undefined;
  }

  #validatorFor(revision: Revision): Ajv | Ajv2020 {
    const known = this.#validators.get(revision);
    if (known !== undefined) return known;
    const schema = this.#read(revision);
    const ajv = new (schema.definitions === undefined ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema(schema, "mcp");
    this.#validators.set(revision, ajv);
    return ajv;
  }
}

/** The schemas that the official SDK exports. They let unknown members pass. */
export const published: SchemaSource = new SchemaSource(
  "the published schemas",
  (revision) => readPublishedSchema(revision) as RootSchema,
  UNPUBLISHED,
);

/**
 * The schema files of the specification, if they are there. Their definitions are closed: the originals let unknown
 * members pass, but messages of ours must not have members that a revision does not define.
 */
export const official: SchemaSource | undefined = existsSync(folder)
  ? new SchemaSource("the official schemas", readOfficialSchema)
  : undefined;

/** All sources that are there. */
export const SOURCES: readonly SchemaSource[] = official === undefined ? [published] : [published, official];

/** All official example messages, as [definition, file name, text]. */
export function readExamples(): [definition: string, name: string, text: string][] {
  if (!hasExamples) return [];
  const examples = new URL("examples/2026-07-28/", folder);
  return readdirSync(examples).flatMap((definition) =>
    readdirSync(new URL(`${definition}/`, examples)).map((name): [string, string, string] => [
      definition,
      name,
      readFileSync(new URL(`${definition}/${name}`, examples), "utf8"),
    ]),
  );
}

const officialSchemas = new Map<Revision, RootSchema>();

function readOfficialSchema(revision: Revision): RootSchema {
  const known = officialSchemas.get(revision);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`${revision}.schema.json`, folder), "utf8");
  const schema = JSON.parse(text, (_, value: unknown) =>
    isNumberless(value) ? [...value, "number", "null"] : value,
  ) as RootSchema;
  for (const [name, definition] of Object.entries(schema.definitions ?? schema.$defs ?? {})) {
    if (!OPEN.test(name)) close(definition);
  }
  officialSchemas.set(revision, schema);
  return schema;
}

/** Definitions that are meant to have further members. */
const OPEN =
  /Capabilities$|Meta|^Result$|^EmptyResult$|^JSON|^(Paginated)?Request$|^Notification$|^(Paginated|Cacheable)Result$/;

function close(schema: Schema): void {
  const { properties } = schema;
  if (properties === undefined || schema.additionalProperties !== undefined) return;
  schema.additionalProperties = false;
  // Older revisions write annotations in place; later ones refer to a definition.
  if (properties["annotations"] !== undefined) close(properties["annotations"]);
  const { params } = properties;
  if (params?.properties !== undefined) {
    params.properties["_meta"] ??= {};
    close(params);
  }
}

/** The schemas are generated, and do not say that JSON and form values may be fractions, and JSON values null. */
function isNumberless(value: unknown): value is string[] {
  return Array.isArray(value) && value.join() === "string,integer,boolean";
}
