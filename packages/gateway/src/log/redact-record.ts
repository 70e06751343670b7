import { redactBody } from "../secrets/redact-body.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { CallRecord } from "./call-record.ts";

/** Takes secrets out of the parts of a record that others have written: its error and what was captured. */
export function redactRecord(record: CallRecord, redactor: Redactor): CallRecord {
  const { error, capture } = record;
  if (error === undefined && capture === undefined) return record;
  return {
    ...record,
    ...(error !== undefined && { error: redactor.redact(error) }),
    ...(capture !== undefined && {
      capture: {
        arguments: redactBody(capture.arguments, redactor),
        response: redactBody(capture.response, redactor),
      },
    }),
  };
}
