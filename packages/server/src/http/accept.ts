/** Content negotiation (RFC 9110, section 12.5.1) between the two forms an answer can take. */

/** What a client takes for an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
  /** It says `text/event-stream` itself, rather than taking whatever comes, as `curl` does. */
  readonly namesEvents: boolean;
}

const ANYTHING: Accepts = { json: true, events: true, namesEvents: false };

/** What every client of the protocol has to accept, nearly always in these words. */
const BOTH: Accepts = { json: true, events: true, namesEvents: true };

/** Reads an `Accept` header; without one a client takes anything. */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined) return ANYTHING;
  if (header === "application/json, text/event-stream") return BOTH;
  const ranges = new Map<string, boolean>();
  for (const part of header.split(",")) {
    const [range = "", ...parameters] = part.split(";");
    ranges.set(
      range.trim().toLowerCase(),
      !parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(parameter)),
    );
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
export function isJsonType(header: string | undefined): boolean {
  if (header === undefined) return false;
  if (header === "application/json") return true;
  const [type = "", ...parameters] = header.split(";");
  return (
    type.trim().toLowerCase() === "application/json" &&
    parameters.every((parameter) => !/^\s*charset\s*=/i.test(parameter) || /=\s*"?utf-?8"?\s*$/i.test(parameter))
  );
}
