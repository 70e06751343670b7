import type { TaskRecord } from "@toolwire/server/tasks";
import type { Parameter, Row } from "../client/database.ts";
import { type Engine, prepare } from "../engine/engine.ts";
import { decodeText, encodeText } from "../engine/values.ts";
import { digestOf } from "./digest.ts";
import type { TaskHints } from "./hints.ts";

/** Tasks in a table that survives crashes. Each method is one statement, and thereby one transaction. */
export class StoredTasks {
  readonly #engine: Engine;
  readonly #hints: TaskHints;
  readonly #statements: ReturnType<typeof writeStatements>;

  constructor(engine: Engine, schema: string, hints: TaskHints) {
    this.#engine = engine;
    this.#hints = hints;
    this.#statements = writeStatements(schema);
  }

  async create(record: TaskRecord): Promise<boolean> {
    return (await this.#engine.run(this.#statements.create, valuesOf(record))).length > 0;
  }

  async read(id: string): Promise<TaskRecord | undefined> {
    const [row] = await this.#engine.run(this.#statements.read, [encodeText(id)]);
    return row && readRow(row);
  }

  async replace(record: TaskRecord, ifVersion: number): Promise<boolean> {
    const rows = await this.#engine.run(this.#statements.replace, [...valuesOf(record), String(ifVersion)]);
    if (rows.length === 0) return false;
    this.#hints.changed(record.id);
    return true;
  }

  async delete(id: string): Promise<void> {
    const rows = await this.#engine.run(this.#statements.delete, [encodeText(id)]);
    if (rows.length > 0) this.#hints.changed(id);
  }

  async due(now: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#engine.run(this.#statements.due, [String(now), String(limit)]);
    return rows.map(({ id }) => decodeText(id ?? ""));
  }

  async count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    const row = await this.#engine.runForRow(this.#statements.count, [digestOf(owner)]);
    return { owner: Number(row["own"]), all: Number(row["all"]) };
  }

  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const start = after === undefined ? "" : encodeText(after);
    const rows = await this.#engine.run(this.#statements.list, [digestOf(owner), start, String(limit)]);
    return rows.map(readRow);
  }
}

function writeStatements(schema: string) {
  const table = `${schema}.task`;
  const columns = `id, version::text as version, owner, expires::text as expires, wake::text as wake, is_over::text as is_over, body`;
  const values = `$1::text, $2::text::bigint, $3::text, decode($4::text, 'hex'), $5::text::float8, $6::text::float8, $7::text::boolean, $8::text`;
  return {
    create: prepare(`
insert into ${table} (id, version, owner, owner_digest, expires, wake, is_over, body)
values (${values}) on conflict (id) do nothing returning 'true' as written`),
    read: prepare(`select ${columns} from ${table} where id = $1::text`),
    replace: prepare(`
update ${table} set (id, version, owner, owner_digest, expires, wake, is_over, body) = (${values})
where id = $1::text and version = $9::text::bigint returning 'true' as written`),
    delete: prepare(`delete from ${table} where id = $1::text returning 'true' as deleted`),
    due: prepare(`
select id from ${table} where due_at <= $1::text::float8 order by due_at limit $2::text::bigint`),
    count: prepare(`
select count(*) filter (where owner_digest = decode($1::text, 'hex'))::text as own, count(*)::text as all
from ${table} where not is_over`),
    list: prepare(`
select ${columns} from ${table} where owner_digest = decode($1::text, 'hex') and id > $2::text
order by id limit $3::text::bigint`),
  };
}

function valuesOf({ id, version, owner, expires, wake, isOver, body }: TaskRecord): readonly Parameter[] {
  return [
    encodeText(id),
    String(version),
    owner === null ? null : encodeText(owner),
    digestOf(owner),
    expires === null ? null : String(expires),
    wake === null ? null : String(wake),
    String(isOver),
    encodeText(body),
  ];
}

function readRow({ id, version, owner, expires, wake, is_over, body }: Row): TaskRecord {
  return {
    id: decodeText(id ?? ""),
    version: Number(version),
    owner: readOr(owner, decodeText),
    expires: readOr(expires, Number),
    wake: readOr(wake, Number),
    isOver: is_over === "true",
    body: decodeText(body ?? ""),
  };
}

function readOr<T>(column: string | null | undefined, read: (text: string) => T): T | null {
  return column === null || column === undefined ? null : read(column);
}
