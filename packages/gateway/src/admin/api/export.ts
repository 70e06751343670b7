import { once } from "node:events";
import { type CallRecord, TIMED_STEPS } from "../../log/call-record.ts";
import type { AdminRequest } from "../http/request.ts";

/** Lines are gathered up to this length before they are written. */
const CHUNK = 64 * 1024;

const COLUMNS = [
  "id",
  "at",
  "node",
  "server",
  "tool",
  "source",
  "principal",
  "clientName",
  "clientVersion",
  "userAgent",
  "revision",
  "outcome",
  "rpcCode",
  "httpStatus",
  "attempts",
  "durationMs",
  "firstByteMs",
  "requestBytes",
  "responseBytes",
  "isTruncated",
  "error",
  "traceId",
] as const satisfies readonly (keyof CallRecord)[];

/** Writes calls as a file, no faster than the client reads it. */
export async function writeExport(
  { method, response, signal }: AdminRequest,
  records: AsyncIterable<CallRecord>,
  format: "jsonl" | "csv",
): Promise<void> {
  response.writeHead(200, {
    "cache-control": "no-store",
    "content-type": format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/jsonl; charset=utf-8",
    "content-disposition": `attachment; filename="calls.${format}"`,
  });
  if (method === "HEAD") {
    response.end();
    return;
  }
  let pending = format === "csv" ? `${[...COLUMNS, ...TIMED_STEPS.map((step) => `${step}Ms`)].join(",")}\r\n` : "";
  for await (const record of records) {
    if (signal.aborted) return;
    pending += format === "csv" ? formatRow(record) : `${JSON.stringify(record)}\n`;
    if (pending.length < CHUNK) continue;
    const hasRoom = response.write(pending);
    pending = "";
    if (!hasRoom) await once(response, "drain", { signal }).catch(() => undefined);
  }
  response.end(pending);
}

function formatRow(record: CallRecord): string {
  const cells = COLUMNS.map((column) => (column === "at" ? new Date(record.at).toISOString() : record[column]));
  const times = TIMED_STEPS.map((step) => record.steps[step]);
  return `${[...cells, ...times].map(formatCell).join(",")}\r\n`;
}

/**
 * A value as a cell (RFC 4180). Spreadsheets run texts that begin like a formula, and callers choose the names of tools and
 * clients: an apostrophe makes such a text a text.
 */
export function formatCell(value: string | number | boolean | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[\s]*[=+\-@\t\r\n|%]/.test(value) ? `'${value}` : value;
  return /[",\r\n\t;]|^'/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
