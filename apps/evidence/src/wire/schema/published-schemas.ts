import { createRequire } from "node:module";
import { z, type ZodType } from "zod";
import { zodToJsonSchema } from "zod-to-json-schema";
import type { SchemaDocument } from "./revision-schema.ts";

/** The release of the official SDK that stands for each revision: one whose latest revision it is. */
export const PUBLISHED_PACKAGES: { readonly [revision: string]: string } = {
  "2024-11-05": "sdk-v1-1.0.4/types.js",
  "2025-03-26": "sdk-v1-1.12.3/types.js",
  "2025-06-18": "sdk-v1-1.17.5/types.js",
  "2025-11-25": "sdk-v1/types.js",
  "2026-07-28": "@modelcontextprotocol/core",
};

/** Definitions of the specification that the official SDK does not export. */
export const UNPUBLISHED: ReadonlySet<string> = new Set([
  "MissingRequiredClientCapabilityError",
  "UnsupportedProtocolVersionError",
]);

const require = createRequire(import.meta.url);
const documents = new Map<string, SchemaDocument>();

/**
 * The schemas of a revision as the official SDK publishes them on npm, in the form of the official schema files: one JSON
 * Schema document whose definitions refer to each other. Loads the package on first use.
 */
export function readPublishedSchema(revision: string): SchemaDocument {
  const known = documents.get(revision);
  if (known !== undefined) return known;
  const specifier = PUBLISHED_PACKAGES[revision];
  if (specifier === undefined) throw new Error(`No published package has the schemas of ${revision}`);
  const exported = Object.entries(require(specifier) as { [name: string]: unknown });
  const schemas = new Map(
    exported.flatMap(([name, value]) => (name.endsWith("Schema") ? [[name.slice(0, -"Schema".length), value]] : [])),
  );
  const isZod4 = [...schemas.values()].every((schema) => "_zod" in (schema as object));
  const $defs = isZod4 ? convertZod4(schemas as Map<string, ZodType>) : convertZod3(schemas as Map<string, Zod3Type>);
  for (const { revisions, apply } of CORRECTIONS) if (revisions.includes(revision)) apply($defs);
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", $defs };
  documents.set(revision, document);
  return document;
}

interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

type Definitions = Record<string, Schema>;
type Zod3Type = Parameters<typeof zodToJsonSchema>[0];

function convertZod4(schemas: ReadonlyMap<string, ZodType>): Definitions {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    io: "input",
    unrepresentable: "any",
    // Not a format of JSON Schema; a pattern says the same.
    override: ({ jsonSchema }) => {
      if ((jsonSchema.format as string | undefined) === "starts_with") delete jsonSchema.format;
    },
    uri: (id) => `#/$defs/${id}`,
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $id: _id, $schema: _schema, ...definition }]) => [
      name,
      definition as Definitions[string],
    ]),
  );
}

function convertZod3(schemas: ReadonlyMap<string, Zod3Type>): Definitions {
  const definitions = Object.fromEntries(schemas);
  const options = {
    definitions,
    definitionPath: "$defs",
    removeAdditionalStrategy: "strict",
    patternStrategy: "preserve",
  } as const;
  // The first argument is only the root of the document; every definition is converted along with it.
  const [root] = schemas.values();
  return (zodToJsonSchema(root!, options) as { $defs: Definitions }).$defs;
}

/** A place where the exported schemas differ from the specification. */
interface Correction {
  readonly revisions: readonly string[];
  readonly reason: string;
  readonly apply: (definitions: Definitions) => void;
}

/**
 * All differences from the specification that our messages meet. Each correction throws if the SDK no longer differs, so
 * that a new release shows which ones to remove.
 */
export const CORRECTIONS: readonly Correction[] = [
  {
    revisions: ["2025-03-26"],
    reason: "The SDK has `outputSchema`, which came with the next revision.",
    apply: ({ Tool }) => removeProperty(Tool, "outputSchema"),
  },
  {
    revisions: ["2025-06-18", "2025-11-25", "2026-07-28"],
    reason: "The SDK leaves out the `title` of a `BaseMetadata` here.",
    apply: ({ PromptArgument, PromptReference }) => {
      addProperty(PromptArgument, "title", { type: "string" });
      addProperty(PromptReference, "title", { type: "string" });
    },
  },
  {
    revisions: ["2025-11-25", "2026-07-28"],
    reason: "The SDK leaves out the `$schema` of a form.",
    apply: ({ ElicitRequestFormParams }) =>
      addProperty(ElicitRequestFormParams?.properties?.["requestedSchema"], "$schema", { type: "string" }),
  },
  {
    revisions: ["2025-11-25", "2026-07-28"],
    reason: "The SDK has two results of `sampling/createMessage`: one for requests with tools, one for the others.",
    apply: (definitions) => {
      expectDefinitions(definitions, ["CreateMessageResultWithTools"]);
      definitions["CreateMessageResult"] = { $ref: "#/$defs/CreateMessageResultWithTools" };
    },
  },
  {
    revisions: ["2026-07-28"],
    reason: "One set of schemas describes both eras, so that it has members of the legacy era.",
    apply: ({ ElicitRequestURLParams, ClientCapabilities }) => {
      removeProperty(ElicitRequestURLParams, "elicitationId");
      removeProperty(ClientCapabilities?.properties?.["roots"], "listChanged");
    },
  },
  {
    revisions: ["2026-07-28"],
    reason: "One set of schemas describes both eras, so that it has methods of the legacy era.",
    apply: (definitions) => {
      removeDefinitions(definitions, [
        "ElicitationCompleteNotification",
        "InitializeRequest",
        "InitializedNotification",
        "PingRequest",
        "RootsListChangedNotification",
        "ServerRequest",
        "SetLevelRequest",
        "SubscribeRequest",
        "UnsubscribeRequest",
      ]);
      removeMember(definitions["ClientNotification"], "ProgressNotification");
    },
  },
  {
    revisions: ["2026-07-28"],
    reason: "The SDK does not export the result that asks for input. This one is put together from exported parts.",
    apply: (definitions) => {
      if (definitions["InputRequiredResult"] !== undefined) throw new Error("The SDK exports `InputRequiredResult`");
      const requests = ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];
      expectDefinitions(definitions, requests);
      definitions["InputRequiredResult"] = {
        type: "object",
        properties: {
          resultType: { const: "input_required" },
          inputRequests: {
            type: "object",
            additionalProperties: { anyOf: requests.map((name) => ({ $ref: `#/$defs/${name}` })) },
          },
          requestState: { type: "string" },
        },
        required: ["resultType"],
      };
    },
  },
];

function addProperty(schema: Schema | undefined, name: string, property: Schema): void {
  if (schema?.properties === undefined) throw new Error(`Found no schema to add \`${name}\` to`);
  if (schema.properties[name] !== undefined) throw new Error(`The SDK has \`${name}\``);
  schema.properties[name] = property;
}

function removeProperty(schema: Schema | undefined, name: string): void {
  if (schema?.properties?.[name] === undefined) throw new Error(`The SDK does not have \`${name}\``);
  Reflect.deleteProperty(schema.properties, name);
  if (schema.required !== undefined) schema.required = schema.required.filter((required) => required !== name);
}

function removeDefinitions(definitions: Definitions, names: readonly string[]): void {
  expectDefinitions(definitions, names);
  for (const name of names) {
    Reflect.deleteProperty(definitions, name);
    for (const definition of Object.values(definitions)) {
      if (definition.anyOf?.some(({ $ref }) => $ref === `#/$defs/${name}`)) removeMember(definition, name);
    }
  }
}

function removeMember(union: Schema | undefined, name: string): void {
  const remaining = union?.anyOf?.filter(({ $ref }) => $ref !== `#/$defs/${name}`);
  if (union === undefined || remaining?.length === union.anyOf?.length) {
    throw new Error(`The SDK does not have \`${name}\` in a union`);
  }
  union.anyOf = remaining!;
}

function expectDefinitions(definitions: Definitions, names: readonly string[]): void {
  for (const name of names) if (definitions[name] === undefined) throw new Error(`The SDK does not export \`${name}\``);
}
