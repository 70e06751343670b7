import type { CallFilter, TimeRange } from "../call-log.ts";
import type { PagePosition } from "../call-pages.ts";
import type { SqlValue } from "./database.ts";
import { coverRange, type CoverPart } from "./cover.ts";

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Figures that no rollup has are made of so many calls at most, the newest ones. */
const MOST_COUNTED = 500_000;

/** Collects the values of a statement while its text is written. */
class Values {
  readonly list: SqlValue[] = [];

  add(value: SqlValue): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }

  time(milliseconds: number): string {
    return `to_timestamp(${this.add(milliseconds)}::float8 / 1000)`;
  }
}

const COUNTED_TOOL = "case when outcome = 'unknown-tool' then '(unknown)' else tool end";

/** Calls by outcome and duration. */
export function totalsStatement(range: TimeRange, filter: CallFilter, minutesFrom: number): Statement {
  const values = new Values();
  const text = `select outcome, bucket, sum(calls)::float8 as calls, sum(bytes)::float8 as bytes
    from (${countedCalls(values, filter, partsOf(range, filter, minutesFrom))}) counted group by outcome, bucket`;
  return { text, values: values.list };
}

/** Calls by interval, outcome and duration. */
export function seriesStatement(range: TimeRange, step: number, filter: CallFilter, minutesFrom: number): Statement {
  const values = new Values();
  const source = countedCalls(values, filter, partsOf(range, filter, minutesFrom, step));
  const stepValue = `${values.add(step)}::float8`;
  const text = `select floor(round(date_part('epoch', at) * 1000) / ${stepValue}) * ${stepValue} as interval,
    outcome, bucket, sum(calls)::float8 as calls, sum(bytes)::float8 as bytes
    from (${source}) counted group by 1, outcome, bucket`;
  return { text, values: values.list };
}

/** Calls of the first tools, by outcome and duration. */
export function toolsStatement(
  range: TimeRange,
  by: "calls" | "failures",
  limit: number,
  filter: CallFilter,
  minutesFrom: number,
): Statement {
  const values = new Values();
  const text = `with counted as (${countedCalls(values, filter, partsOf(range, filter, minutesFrom))}),
    first as (
      select server, tool from counted ${by === "failures" ? "where outcome <> 'ok'" : ""}
      group by server, tool order by sum(calls) desc, server, tool limit ${limit}
    )
    select server, tool, outcome, bucket, sum(calls)::float8 as calls, sum(bytes)::float8 as bytes
    from counted join first using (server, tool) group by server, tool, outcome, bucket`;
  return { text, values: values.list };
}

/** Calls and failures of the first clients. */
export function clientsStatement(range: TimeRange, limit: number, minutesFrom: number): Statement {
  const values = new Values();
  const text = `select client, sum(calls)::float8 as calls,
    coalesce(sum(calls) filter (where outcome <> 'ok'), 0)::float8 as failures
    from (${countedCalls(values, {}, partsOf(range, {}, minutesFrom))}) counted
    group by client order by 2 desc, client limit ${limit}`;
  return { text, values: values.list };
}

/** Rollups know no principals. */
function partsOf(range: TimeRange, filter: CallFilter, minutesFrom: number, step?: number): readonly CoverPart[] {
  return filter.principal === undefined ? coverRange(range, minutesFrom, step) : [{ ...range, by: "call" }];
}

/** Rows of all parts in one shape, whichever table they come from. */
function countedCalls(values: Values, filter: CallFilter, parts: readonly CoverPart[]): string {
  const selects = parts.map((part) => {
    const conditions = [...timeConditions(values, part), ...filterConditions(values, filter, COUNTED_TOOL)];
    if (part.by !== "call") {
      return `select at, server, tool, client, outcome, bucket, calls, bytes from toolwire.calls_by_${part.by}
        where ${conditions.join(" and ")}`;
    }
    return `(select at, server, ${COUNTED_TOOL} as tool, client, outcome, bucket, 1::bigint as calls,
      request_bytes + response_bytes as bytes from toolwire.calls
      where ${conditions.join(" and ")} order by at desc, id desc limit ${MOST_COUNTED})`;
  });
  if (selects.length > 0) return selects.join(" union all ");
  return `select now() as at, '' as server, '' as tool, '' as client, '' as outcome, 0 as bucket, 0 as calls, 0 as bytes
    where false`;
}

function timeConditions(values: Values, range: TimeRange): readonly string[] {
  return [`at >= ${values.time(range.from)}`, `at < ${values.time(range.to)}`];
}

function filterConditions(values: Values, filter: CallFilter, tool: string): readonly string[] {
  return [
    ...(filter.server === undefined ? [] : [`server = ${values.add(filter.server)}`]),
    ...(filter.tool === undefined ? [] : [`${tool} = ${values.add(filter.tool)}`]),
    ...(filter.outcome === undefined ? [] : [`outcome = ${values.add(filter.outcome)}`]),
    ...(filter.principal === undefined ? [] : [`principal = ${values.add(filter.principal)}`]),
    ...(filter.client === undefined ? [] : [`client = ${values.add(filter.client)}`]),
  ];
}

/** Which calls a page has. */
export interface PageRequest {
  readonly range: TimeRange;
  readonly filter: CallFilter;
  readonly failuresOnly: boolean;
  readonly order: "newest" | "oldest";
  /** The call before the first one, in the order of the page. */
  readonly after: PagePosition | undefined;
  readonly limit: number;
  /** If it is filtered by something without an index, the page looks at so many calls at most. */
  readonly mostScanned: number;
}

const RECORD_COLUMNS = `calls.id::text as id, (extract(epoch from calls.at) * 1000)::float8 as at, node, server, tool, source, principal,
  client_name, client_version, user_agent, revision, outcome, rpc_code, http_status, attempts, duration_ms, validate_ms,
  resolve_ms, authorize_ms, call_ms, transform_ms, first_byte_ms, request_bytes::float8 as request_bytes,
  response_bytes::float8 as response_bytes, is_truncated, error, trace_id`;

/** One page of calls. */
export function pageStatement(request: PageRequest): Statement {
  const values = new Values();
  const text = `select ${RECORD_COLUMNS} from (${scannedCalls(values, request)}) calls
    ${where(unindexedConditions(values, request))} order by ${orderOf("calls.", request)} limit ${request.limit}`;
  return { text, values: values.list };
}

/** The last call that a page has looked at, if it has stopped before the end; `undefined` if it looks at all there are. */
export function scanEndStatement(request: PageRequest): Statement | undefined {
  const values = new Values();
  if (unindexedConditions(values, request).length === 0) return undefined;
  const scanned = new Values();
  const text = `select id::text as id, (extract(epoch from at) * 1000)::float8 as at
    from (${scannedCalls(scanned, request)}) calls order by ${orderOf("", request)} offset ${request.mostScanned - 1} limit 1`;
  return { text, values: scanned.list };
}

/** The calls that a page looks at, found by an index. */
function scannedCalls(values: Values, request: PageRequest): string {
  const { filter, after, order } = request;
  const conditions = [...timeConditions(values, request.range)];
  if (filter.server !== undefined) conditions.push(`server = ${values.add(filter.server)}`);
  if (filter.server !== undefined && filter.tool !== undefined) conditions.push(`tool = ${values.add(filter.tool)}`);
  if (request.failuresOnly || (filter.outcome !== undefined && filter.outcome !== "ok")) {
    conditions.push("outcome <> 'ok'");
  }
  if (after !== undefined) {
    const [first, second] = order === "newest" ? ["<=", "<"] : [">=", ">"];
    conditions.push(`at ${first} ${values.time(after.at)}`);
    conditions.push(`(at, id) ${second} (${values.time(after.at)}, ${values.add(after.id)}::uuid)`);
  }
  const limit = unindexedConditions(new Values(), request).length > 0 ? request.mostScanned : request.limit;
  return `select * from toolwire.calls ${where(conditions)} order by ${orderOf("", request)} limit ${limit}`;
}

/** Filters that would have to look at everything, if they were not bounded. */
function unindexedConditions(values: Values, { filter }: PageRequest): readonly string[] {
  const { outcome, principal, client } = filter;
  const tool = filter.server === undefined ? filter.tool : undefined;
  return filterConditions(values, { outcome, principal, client, tool }, "tool");
}

function orderOf(table: string, { order }: PageRequest): string {
  const direction = order === "newest" ? "desc" : "asc";
  return `${table}at ${direction}, ${table}id ${direction}`;
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

/** One call by its id, with what was captured of it, if its time is in the range. */
export function callStatement(id: string, range: TimeRange): Statement {
  const values = new Values();
  const conditions = [`calls.id = ${values.add(id)}::uuid`];
  conditions.push(`calls.at >= ${values.time(range.from)}`, `calls.at < ${values.time(range.to)}`);
  const text = `select ${RECORD_COLUMNS}, arguments, response from toolwire.calls
    left join toolwire.captures on captures.id = calls.id and captures.at = calls.at ${where(conditions)}`;
  return { text, values: values.list };
}
