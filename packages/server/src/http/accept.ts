/** Content negotiation (RFC 9110, section 12.5.1) between the two forms an answer can take. */

/** What a client takes for an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
  /** It says `text/event-stream` itself, rather than taking whatever comes, as `curl` does. */
  readonly namesEvents: boolean;
}

/** What every client of the protocol has to accept, nearly always in these words. */
const BOTH: Accepts = { json: true, events: true, namesEvents: true };

/** Reads an `Accept` header; without one a client takes anything. */
export function readAccept(header = "*/*"): Accepts {
  if (header === "application/json, text/event-stream") return BOTH;
  const ranges = new Map<string, boolean>();
  for (const part of header.split(",")) {
    const [range = "", ...parameters] = splitParameters(part);
    ranges.set(range, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter)));
  }
  // The most specific range that matches decides.
  const takes = (type: string, subtype: string): boolean =>
    ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get("*/*") ?? false;
  return {
    json: takes("application", "json"),
    events: takes("text", "event-stream"),
    namesEvents: ranges.get("text/event-stream") === true,
  };
}

/** Whether a `Content-Type` says JSON in UTF-8. */
export function isJsonType(header = ""): boolean {
  if (header === "application/json") return true;
  const [type, ...parameters] = splitParameters(header);
  return (
    type === "application/json" && !parameters.some((parameter) => /^charset\s*=(?!\s*"?utf-?8"?$)/.test(parameter))
  );
}

/** A media type and its parameters, in lower case. */
function splitParameters(value: string): string[] {
  return value
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
}
