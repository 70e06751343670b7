import { redactFields } from "../secrets/secret-fields.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { CallRecord } from "./call-record.ts";

/** The most characters of the parts of a record that others have written. */
const MAX_NAME = 128;
const MAX_USER_AGENT = 256;
const MAX_ERROR = 300;
const MAX_CAPTURE = 16 * 1024;

/**
 * Takes secrets out of the parts of a record that others have written: names, the error, and what was captured. They are whole, and
 * become short afterwards: a secret of which the end is missing, or in which white space has changed, would not be found.
 */
export function redactRecord(record: CallRecord, redactor: Redactor): CallRecord {
  const { error, capture, tool, clientName, clientVersion, userAgent } = record;
  const short = (text: string, most: number): string => redactor.redact(text).slice(0, most);
  return {
    ...record,
    tool: short(tool, MAX_NAME),
    ...(clientName !== undefined && { clientName: short(clientName, MAX_NAME) }),
    ...(clientVersion !== undefined && { clientVersion: short(clientVersion, MAX_NAME) }),
    ...(userAgent !== undefined && { userAgent: short(userAgent, MAX_USER_AGENT) }),
    ...(error !== undefined && { error: redactor.redact(error).replaceAll(/\s+/g, " ").slice(0, MAX_ERROR) }),
    ...(capture !== undefined && {
      capture: {
        arguments: redactCapture(capture.arguments, redactor),
        response: redactCapture(capture.response, redactor),
      },
    }),
  };
}

function redactCapture(text: string, redactor: Redactor): string {
  const cleared = redactor.redact(text);
  // Fields are told apart in JSON that is cut off, too.
  return redactFields(cleared.length > MAX_CAPTURE ? `${cleared.slice(0, MAX_CAPTURE)}…` : cleared);
}
