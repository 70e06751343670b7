import { UsageError } from "@toolwire/protocol";
import { type Engine, prepare } from "../engine/engine.ts";
import { StatementError } from "../engine/failures.ts";
import { createTables, TABLES_VERSION } from "./tables.ts";

/** How much longer than a statement the creation of tables may take: other nodes may be creating them. */
const CREATION_TIMES = 5;

/** The schema, or a table in it, is not there. */
const MISSING: ReadonlySet<string | undefined> = new Set(["3F000", "42P01"]);

const NO_PERMISSION = "42501";

/**
 * Makes sure that the tables are there, and creates them if this process may. `added` is a table that was not among them in the beginning: a
 * schema that lacks it only gets what it lacks.
 */
export async function expectTables(engine: Engine, schema: string, mayCreate: boolean, added?: "task"): Promise<void> {
  let version = await findVersion(engine, schema, added);
  if (version === undefined) {
    const missing = added === undefined ? "are no tables" : `is no table \`${added}\``;
    if (!mayCreate) throw unusable(`There ${missing} in the schema ${schema}.`, schema);
    await create(engine, schema);
    version = await findVersion(engine, schema, added);
  }
  if (version === TABLES_VERSION) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The tables in the schema ${schema} have the version ${version ?? "of no release"}, and this release of @toolwire/postgres needs ${TABLES_VERSION}. Let nodes of both releases use different schemas, with the option \`schema\`.`,
  );
}

async function findVersion(engine: Engine, schema: string, added: string | undefined): Promise<number | undefined> {
  const table = added ?? "installation";
  try {
    const { version, found } = await engine.runForRow(
      prepare(`
select version::text as version, to_regclass('${schema}.${table}')::text as found from ${schema}.installation`),
      [],
    );
    return version === undefined || found === null ? undefined : Number(version);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    if (MISSING.has(error.state)) return undefined;
    throw error.state === NO_PERMISSION ? noPermission("use the tables in", schema) : error;
  }
}

async function create(engine: Engine, schema: string): Promise<void> {
  try {
    await engine.within(engine.database.runScript(createTables(schema)), CREATION_TIMES);
  } catch (error) {
    if (!(error instanceof StatementError) || error.state !== NO_PERMISSION) throw error;
    throw noPermission("create", schema);
  }
}

function noPermission(action: string, schema: string): UsageError {
  return unusable(`The role with which this node has connected may not ${action} the schema ${schema}.`, schema);
}

function unusable(problem: string, schema: string): UsageError {
  const name = schema === "toolwire" ? "" : `schema: "${schema}", `;
  return new UsageError(
    "INVALID_ARGUMENT",
    `${problem} Run the SQL that \`postgresSchema({ ${name}role })\` returns, as a role that may create schemas.`,
  );
}
