/** A value in a statement. Lists are written by `arrayOf`, times as milliseconds. */
export type SqlValue = string | number | boolean | null;

/** Runs statements on a Postgres, embedded or not. The same statements run on both. */
export interface Database {
  readonly kind: "pglite" | "postgres";
  /** Runs one statement, with `$1` and so on for its values. The caller knows what its rows look like. */
  query<Row extends object>(statement: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** A database in this thread, which can run several statements in one transaction. */
export interface LocalDatabase extends Database {
  /** Runs `work` in a transaction, which is rolled back if it throws. */
  transaction<Result>(work: (database: Pick<Database, "query">) => Promise<Result>): Promise<Result>;
  /** Runs statements without values, separated by semicolons, in one transaction. */
  run(statements: string): Promise<void>;
}

/**
 * Writes a list as the text of a Postgres array, to be cast in the statement: `$1::text::uuid[]`. Drivers differ in how they
 * send arrays, but not in how they send texts.
 */
export function arrayOf(values: readonly (string | number | boolean | null | undefined)[]): string {
  let text = "{";
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ",";
    if (value === null || value === undefined) text += "NULL";
    else if (typeof value === "string") text += quote(value);
    else text += String(value);
  }
  return `${text}}`;
}

function quote(value: string): string {
  return `"${/["\\]/.test(value) ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"') : value}"`;
}

/** The five characters of an error of Postgres, such as `42P01`; `undefined` for errors of the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the values are to blame for an error, so that trying again cannot help: classes 22 and 23 of Postgres. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error) ?? "");
}
