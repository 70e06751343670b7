import { PUBLISHED_PACKAGES, readPublishedSchema } from "./published-schemas.ts";
import { readSchemaFiles, RevisionSchema } from "./revision-schema.ts";

/** The schemas of all revisions, from one source. */
export interface SchemaSet {
  /** The source, for messages. */
  readonly name: string;
  readonly schemas: ReadonlyMap<string, RevisionSchema>;
}

/**
 * The schemas to check messages against: those that the official SDK publishes, and those of the specification if the
 * directory has them.
 */
export function readSchemaSets(directory: string): readonly SchemaSet[] {
  const schemas = new Map(
    Object.keys(PUBLISHED_PACKAGES).map((revision) => [
      revision,
      new RevisionSchema(revision, readPublishedSchema(revision)),
    ]),
  );
  const official = readSchemaFiles(directory);
  return [
    { name: "published schemas", schemas },
    ...(official === undefined ? [] : [{ name: "official schemas", schemas: official }]),
  ];
}
