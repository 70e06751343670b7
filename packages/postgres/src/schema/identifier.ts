import { expectOption } from "@toolwire/protocol/internal";

/** The names of channels begin with that of the schema and have at most 63 bytes, as all names of Postgres. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/;

/** Checks the name of a schema. It becomes a part of statements, so that only plain names are taken. */
export function expectSchema(name: string | undefined): string {
  if (name === undefined) return "toolwire";
  const fits = typeof name === "string" && SCHEMA.test(name) && !name.startsWith("pg_");
  return expectOption(
    "schema",
    name,
    fits,
    "the name of a schema: at most 40 of `a-z 0-9 _`, not beginning with a digit or `pg_`",
  );
}

/** Quotes the name of a role, which may have any characters but NUL. */
export function quoteRole(name: string): string {
  const fits =
    typeof name === "string" && name !== "" && !name.includes("\u0000") && new TextEncoder().encode(name).length <= 63;
  expectOption("role", name, fits, "the name of a role: 1 to 63 bytes");
  return `"${name.replaceAll('"', '""')}"`;
}
