/** Whether a request comes from a person: a browser that opens a URL asks for HTML by name, and programs do not. */

/** The types of response that an endpoint has for programs. */
const FOR_PROGRAMS = ["application/json", "text/event-stream"];

/**
 * Whether an `Accept` header (RFC 9110, section 12.5.1) prefers HTML to what programs get. HTML has to be named: a range for all types comes from
 * programs such as `curl`. A header that names `text/event-stream` comes from a client that opens a stream.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false;
  const weights = readWeights(accept);
  if ((weights.get("text/event-stream") ?? 0) > 0) return false;
  const html = weights.get("text/html") ?? 0;
  return html > 0 && FOR_PROGRAMS.every((type) => html > (weights.get(type) ?? 0));
}

/** The weights of the media types that are named, in lower case. */
function readWeights(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.map((parameter) => /^q\s*=\s*(\d(?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
      return [type, weight === undefined ? 1 : Math.min(Number(weight), 1)];
    }),
  );
}
