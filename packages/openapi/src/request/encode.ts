/** The ways in which texts are encoded in a request. Each refuses texts that have no encoding, which hold half of a surrogate pair. */
import { encodeUnreserved } from "@toolwire/protocol/internal";
import { refuseArgument } from "./arguments.ts";

/** Encodes a text of an argument; the label names the argument in errors. */
export type Encode = (text: string, label: string) => string;

/** All but unreserved characters, as RFC 6570 encodes values: a space becomes `%20`, a plus `%2B`. */
export const encodeValue: Encode = (text, label) => orRefuse(encodeUnreserved, text, label);

/**
 * `allowReserved` in a query: as RFC 6570 encodes `{+value}`, but characters that would begin another parameter or a
 * fragment are still encoded, and so is `+`, which most servers read as a space.
 */
export const encodeReservedInQuery: Encode = (text, label) => orRefuse(encodeQueryRuns, text, label);

/** `allowReserved` in a path: characters that a segment may contain stay as they are (RFC 3986, section 3.3). */
export const encodeReservedInPath: Encode = (text, label) => orRefuse(encodeSegmentRuns, text, label);

/** As in forms (WHATWG URL, `application/x-www-form-urlencoded`): a space becomes `+`, a tilde `%7E`. */
export const encodeFormValue: Encode = (text, label) => orRefuse(encodeForm, text, label);

/** As it is: headers have no encoding. */
export const keepText: Encode = (text) => text;

/** A percent sign that begins no triple, or a run of characters that are not allowed. */
const NOT_IN_QUERY = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$'()*,;%]+/g;
const NOT_IN_SEGMENT = /%(?![\dA-Fa-f]{2})|[^\w\-.~:@!$&'()*+,;=%]+/g;

function encodeQueryRuns(text: string): string {
  return text.replaceAll(NOT_IN_QUERY, (run) => encodeURIComponent(run));
}

function encodeSegmentRuns(text: string): string {
  return text.replaceAll(NOT_IN_SEGMENT, (run) => encodeURIComponent(run));
}

function encodeForm(text: string): string {
  return encodeURIComponent(text).replaceAll(/%20|[!'()~]/g, (found) =>
    found === "%20" ? "+" : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function orRefuse(encode: (text: string) => string, text: string, label: string): string {
  try {
    return encode(text);
  } catch {
    throw refuseArgument(label, "it holds half of a surrogate pair, which is no character");
  }
}
