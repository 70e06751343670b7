/**
 * The official schemas and example messages. They are not part of this repository: they are looked for beside it, in
 * `../shared/spec`. Suites that need them say so when they are not there.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Revision } from "../src/revisions/revision.ts";

const folder = new URL("../../../../shared/spec/", import.meta.url);

/** Whether the data are there; suites that need them run only then, and `spec-data.test.ts` says so in any case. */
export const hasSpec: boolean = existsSync(folder);

/** A JSON Schema, as far as these tests look into it. */
export interface Schema {
  required?: string[];
  $ref?: string;
  const?: unknown;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: Schema[];
}

/** The definitions in the schema of a revision. */
export function definitionsOf(revision: Revision): Record<string, Schema> {
  const { $defs, definitions } = readSchema(revision);
  return $defs ?? definitions ?? {};
}

/**
 * What is wrong with a value by a definition of a revision, or `undefined`. The definitions are closed first: the
 * originals let unknown members pass, while we do not want to send what a revision does not know.
 */
export function complaintAbout(revision: Revision, definition: string, value: unknown): string | undefined {
  const ajv = validatorFor(revision);
  const validate = ajv.getSchema(`mcp#/definitions/${definition}`) ?? ajv.getSchema(`mcp#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`${revision} has no definition of ${definition}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

const validators = new Map<Revision, Ajv | Ajv2020>();

function validatorFor(revision: Revision): Ajv | Ajv2020 {
  const known = validators.get(revision);
  if (known !== undefined) return known;
  const schema = readSchema(revision);
  for (const [name, definition] of Object.entries(schema.definitions ?? schema.$defs ?? {})) {
    if (!OPEN.test(name)) close(definition);
  }
  const ajv = new (schema.definitions === undefined ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(schema, "mcp");
  validators.set(revision, ajv);
  return ajv;
}

/** All official example messages, as [definition, file name, text]. */
export function readExamples(): [definition: string, name: string, text: string][] {
  if (!hasSpec) return [];
  const examples = new URL("examples/2026-07-28/", folder);
  return readdirSync(examples).flatMap((definition) =>
    readdirSync(new URL(`${definition}/`, examples)).map((name): [string, string, string] => [
      definition,
      name,
      readFileSync(new URL(`${definition}/${name}`, examples), "utf8"),
    ]),
  );
}

/** Definitions that are meant to have further members. */
const OPEN =
  /Capabilities$|Meta|^Result$|^EmptyResult$|^JSON|^(Paginated)?Request$|^Notification$|^(Paginated|Cacheable)Result$/;

function close(schema: Schema): void {
  const { properties } = schema;
  if (properties === undefined || schema.additionalProperties !== undefined) return;
  schema.additionalProperties = false;
  // Written out in place where later revisions refer to a definition.
  if (properties["annotations"] !== undefined) close(properties["annotations"]);
  const { params } = properties;
  if (params?.properties !== undefined) {
    params.properties["_meta"] ??= {};
    close(params);
  }
}

interface RootSchema {
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

function readSchema(revision: Revision): RootSchema {
  const text = readFileSync(new URL(`${revision}.schema.json`, folder), "utf8");
  return JSON.parse(text, (_, value: unknown) =>
    isNumberless(value) ? [...value, "number", "null"] : value,
  ) as RootSchema;
}

/** The schemas are generated, and lost that JSON and form values may be fractions, and JSON values null. */
function isNumberless(value: unknown): value is string[] {
  return Array.isArray(value) && value.join() === "string,integer,boolean";
}
