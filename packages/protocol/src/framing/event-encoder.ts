/** Writes server-sent events (WHATWG HTML, section 9.2), as the Streamable HTTP binding uses them. */

import { UsageError } from "../errors.ts";
import { expectOption } from "../options.ts";

/** An event to write. */
export interface EventToEncode {
  /** The position that a client can resume from after this event. */
  id?: string;
  /** The kind of event; `message` if absent. */
  event?: string;
  /** The payload. Its line breaks, of whatever kind, arrive as LF. */
  data?: string;
  /** Milliseconds that a client should wait before it reconnects. */
  retry?: number;
}

const LINE_BREAK = /\r\n|\r|\n/;
const FORBIDDEN_IN_FIELD = /[\r\n\0]/;

/** The text of one event. Throws a `UsageError` for an id, event name or retry time that cannot be represented. */
export function encodeEvent(event: EventToEncode): string {
  const head =
    (event.event === undefined ? "" : encodeField("event", event.event)) +
    (event.id === undefined ? "" : encodeField("id", event.id)) +
    (event.retry === undefined ? "" : encodeRetry(event.retry));
  return head + (event.data === undefined ? "\n" : encodeData(event.data));
}

/** The text of an event that is nothing but its payload. */
export function encodeData(data: string): string {
  // JSON text has no line breaks, so nearly every event leaves here.
  if (!data.includes("\n") && !data.includes("\r")) return `data: ${data}\n\n`;
  return `data: ${data.split(LINE_BREAK).join("\ndata: ")}\n\n`;
}

/** The text of a comment, which keeps a quiet stream from being closed and is never delivered as an event. */
export function encodeComment(text: string): string {
  return `: ${text.split(LINE_BREAK).join("\n: ")}\n\n`;
}

function encodeField(name: "event" | "id", value: string): string {
  if (FORBIDDEN_IN_FIELD.test(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The ${name} ${JSON.stringify(value)} of a server-sent event contains a line break or NUL, which would end or ` +
        "void the field; encode it first or choose another.",
    );
  }
  return `${name}: ${value}\n`;
}

function encodeRetry(ms: number): string {
  expectOption("retry", ms, Number.isSafeInteger(ms) && ms >= 0, "a whole number of milliseconds, at least 0");
  return `retry: ${ms}\n`;
}
