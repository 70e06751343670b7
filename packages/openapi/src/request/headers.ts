/** Names and values of header fields (RFC 9110, section 5). */
import { UsageError } from "@toolwire/protocol";
import { refuseArgument } from "./arguments.ts";

/** Header fields that describe the connection or the body. Only the caller can know their values. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);

/** Header fields that arguments may not set: they carry credentials, or tell the API where a request came from. */
const NOT_FOR_ARGUMENTS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "cookie2",
  "forwarded",
  "set-cookie",
  "x-real-ip",
]);
const PROTECTED_PREFIX = /^(?:proxy-|sec-|x-forwarded-)/;

/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Characters that no field value may contain (section 5.5). Those above are Latin-1, which has no common meaning but is legal. */
const NOT_IN_VALUE = /[^\t\u0020-\u007E\u0080-\u00FF]/;

/**
 * Whether arguments may not set this header. `Authorization`, `Accept` and `Content-Type` are no parameters in OpenAPI
 * either; others could redirect a request, or pretend that it comes from somewhere else.
 */
export function isProtectedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OF_THE_MESSAGE.has(lower) || NOT_FOR_ARGUMENTS.has(lower) || PROTECTED_PREFIX.test(lower);
}

/** The name of a header that is set from an argument, in lower case. */
export function expectArgumentHeader(name: string): string {
  const lower = expectHeaderName(name);
  if (!isProtectedHeader(lower)) return lower;
  throw new UsageError(
    "INVALID_DEFINITION",
    `No argument can set the header "${name}". Set it in \`headers\`, or add a credential with \`auth\`.`,
  );
}

/** Checks fixed headers, and returns them by lower-case name. */
export function expectFixedHeaders(headers: { readonly [name: string]: string }): Record<string, string> {
  const fixed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = expectHeaderName(name);
    if (OF_THE_MESSAGE.has(lower)) {
      throw new UsageError("INVALID_DEFINITION", `The header "${name}" belongs to the connection and cannot be set.`);
    }
    if (lower === "content-type") {
      throw new UsageError("INVALID_DEFINITION", `The header "${name}" follows from the body: set \`body: { type }\`.`);
    }
    if (typeof value !== "string" || NOT_IN_VALUE.test(value)) {
      throw new UsageError(
        "INVALID_DEFINITION",
        `The value of the header "${name}" must be text of visible Latin-1 characters, without line breaks.`,
      );
    }
    fixed[lower] = value;
  }
  return fixed;
}

/** Checks the name of a header, and returns it in lower case. */
export function expectHeaderName(name: string): string {
  // Assigned to an object, this name would set its prototype.
  if (typeof name === "string" && TOKEN.test(name) && name !== "__proto__") return name.toLowerCase();
  throw new UsageError(
    "INVALID_DEFINITION",
    `"${name}" is not the name of a header: use letters, digits and "-" (RFC 9110, section 5.6.2).`,
  );
}

/** Whether a text can be the value of a header. */
export function isHeaderValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value);
}

/**
 * Refuses a value that cannot be sent in a header.
 *
 * @throws ToolError for line breaks, control characters, and characters beyond Latin-1
 */
export function expectHeaderValue(value: string, label: string): string {
  if (isHeaderValue(value)) return value;
  throw refuseArgument(
    label,
    "it is sent in a header, which cannot contain line breaks, control characters or characters beyond Latin-1",
  );
}
