import type { CallRecord } from "../call-record.ts";
import { bucketOf } from "../histogram.ts";
import { arrayOf, isDataError, type Database, type SqlValue } from "./database.ts";

/** A record with the name under which its client is counted. */
export interface CountedRecord {
  readonly record: CallRecord;
  readonly client: string;
}

/** The result of writing some records. */
export interface InsertResult {
  /** Records that were not in the database before. */
  readonly written: number;
  /** Records that the database refused, whatever else it was asked. */
  readonly refused: number;
  readonly error?: unknown;
}

/** Columns of `calls`, with their types and the values of a record. */
const COLUMNS: readonly (readonly [
  name: string,
  type: string,
  value: (counted: CountedRecord) => string | number | boolean | undefined,
])[] = [
  ["id", "uuid", ({ record }) => record.id],
  ["at", "float8", ({ record }) => record.at],
  ["node", "text", ({ record }) => record.node],
  ["server", "text", ({ record }) => record.server],
  ["tool", "text", ({ record }) => record.tool],
  ["source", "text", ({ record }) => record.source],
  ["principal", "text", ({ record }) => record.principal],
  ["client", "text", ({ client }) => client],
  ["client_name", "text", ({ record }) => record.clientName],
  ["client_version", "text", ({ record }) => record.clientVersion],
  ["user_agent", "text", ({ record }) => record.userAgent],
  ["revision", "text", ({ record }) => record.revision],
  ["outcome", "text", ({ record }) => record.outcome],
  ["rpc_code", "int", ({ record }) => record.rpcCode],
  ["http_status", "int", ({ record }) => record.httpStatus],
  ["attempts", "int", ({ record }) => record.attempts],
  ["duration_ms", "float8", ({ record }) => record.durationMs],
  ["bucket", "smallint", ({ record }) => bucketOf(record.durationMs)],
  ["validate_ms", "float8", ({ record }) => record.steps.validate],
  ["resolve_ms", "float8", ({ record }) => record.steps.resolve],
  ["authorize_ms", "float8", ({ record }) => record.steps.authorize],
  ["call_ms", "float8", ({ record }) => record.steps.call],
  ["transform_ms", "float8", ({ record }) => record.steps.transform],
  ["first_byte_ms", "float8", ({ record }) => record.firstByteMs],
  ["request_bytes", "bigint", ({ record }) => record.requestBytes],
  ["response_bytes", "bigint", ({ record }) => record.responseBytes],
  ["is_truncated", "boolean", ({ record }) => record.isTruncated],
  ["error", "text", ({ record }) => record.error],
  ["trace_id", "text", ({ record }) => record.traceId],
];

const NAMES = COLUMNS.map(([name]) => name);
const CAPTURED = COLUMNS.length;

/**
 * Inserts records and counts them in the rollups, in one statement. A record that is there already is neither inserted nor
 * counted again, so a batch can be repeated after a failure of any kind.
 */
const INSERT = `
with inserted as (
  insert into toolwire.calls (${NAMES.join(", ")})
  select ${NAMES.map((name) => (name === "at" ? "to_timestamp(at / 1000)" : name)).join(", ")}
  from unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::text::${type}[]`).join(", ")}) as input (${NAMES.join(", ")})
  on conflict do nothing
  returning at, id, node, server, client, outcome, bucket,
    case when outcome = 'unknown-tool' then '(unknown)' else tool end as tool, request_bytes + response_bytes as bytes
),
${["minute", "hour"]
  .map(
    (unit) => `counted_by_${unit} as (
  insert into toolwire.calls_by_${unit} as counted (at, node, server, tool, client, outcome, bucket, calls, bytes)
  select date_trunc('${unit}', at, 'UTC'), node, server, tool, client, outcome, bucket, count(*), sum(bytes)
  from inserted group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (at, node, server, tool, client, outcome, bucket)
  do update set calls = counted.calls + excluded.calls, bytes = counted.bytes + excluded.bytes
)`,
  )
  .join(",\n")},
captured as (
  insert into toolwire.captures (at, id, arguments, response)
  select inserted.at, inserted.id, arguments, response
  from unnest($${CAPTURED + 1}::text::uuid[], $${CAPTURED + 2}::text::text[], $${CAPTURED + 3}::text::text[])
    as input (id, arguments, response)
  join inserted using (id)
  on conflict do nothing
)
select count(*)::float8 as written from inserted`;

/**
 * Writes records. If the database refuses the values of one of them, the others are written nevertheless.
 *
 * @throws whatever the database says, unless the values are to blame
 */
export async function insertCalls(
  database: Pick<Database, "query">,
  records: readonly CountedRecord[],
): Promise<InsertResult> {
  if (records.length === 0) return { written: 0, refused: 0 };
  try {
    const [row] = await database.query<{ written: number }>(INSERT, valuesOf(records));
    return { written: row?.written ?? 0, refused: 0 };
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (records.length === 1) return { written: 0, refused: 1, error };
    const middle = Math.ceil(records.length / 2);
    const first = await insertCalls(database, records.slice(0, middle));
    const second = await insertCalls(database, records.slice(middle));
    return {
      written: first.written + second.written,
      refused: first.refused + second.refused,
      error: first.error ?? second.error,
    };
  }
}

function valuesOf(records: readonly CountedRecord[]): readonly SqlValue[] {
  const captured = records.map(({ record }) => record).filter(({ capture }) => capture !== undefined);
  return [
    ...COLUMNS.map(([, , value]) => arrayOf(records.map(value))),
    arrayOf(captured.map(({ id }) => id)),
    arrayOf(captured.map(({ capture }) => capture?.arguments)),
    arrayOf(captured.map(({ capture }) => capture?.response)),
  ];
}
