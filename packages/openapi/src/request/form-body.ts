/** Bodies of the type `application/x-www-form-urlencoded`. */
import { isComposite, isPresent, jsonOf, membersOf, textOf } from "./arguments.ts";
import { encodeFormValue, encodeReservedInQuery, encodeValue } from "./encode.ts";
import { isJsonType } from "./media-type.ts";
import type { BodyEncoding } from "./request-spec.ts";
import { compileStyle } from "./styles.ts";

/** Writes the pairs of one property. `undefined`: there is nothing to write. */
type WriteProperty = (value: unknown) => string | undefined;

/** Compiles the encodings of a form to a function that writes bodies. */
export function compileForm(
  encoding: { readonly [property: string]: BodyEncoding } | undefined,
): (fields: object, label: string) => string {
  const declared = new Map<string, WriteProperty>();
  for (const [name, each] of Object.entries(encoding ?? {})) declared.set(name, compileProperty(name, each));
  return (fields, label) => {
    const pairs: string[] = [];
    for (const [name, value] of membersOf(fields)) {
      const write = declared.get(name);
      const written = write === undefined ? writePlain(name, value, label) : write(value);
      if (written !== undefined) pairs.push(written);
    }
    return pairs.join("&");
  };
}

/** With `style`, `explode` or `allowReserved`, a property is written like a parameter of a query (3.1.2, section 4.8.15.1.2). */
function compileProperty(name: string, encoding: BodyEncoding): WriteProperty {
  const { style, explode, allowReserved, contentType, deepObjectArrays } = encoding;
  if (style === undefined && explode === undefined && allowReserved === undefined) {
    if (contentType === undefined || !isJsonType(contentType)) return (value) => writePlain(name, value, name);
    return (value) => `${encodeFormValue(name, name)}=${encodeFormValue(jsonOf(value, name), name)}`;
  }
  return compileStyle({
    style: style ?? "form",
    explode: explode ?? (style === undefined || style === "form"),
    name: encodeValue(name, name),
    encode: allowReserved === true ? encodeReservedInQuery : encodeValue,
    label: name,
    pairSeparator: "&",
    deepObjectArrays,
  });
}

/** Without an encoding: lists repeat the name, objects are JSON text. */
function writePlain(name: string, value: unknown, label: string): string | undefined {
  const key = encodeFormValue(name, label);
  const write = (item: unknown): string => `${key}=${encodeFormValue(textOf(item, label), label)}`;
  if (!isComposite(value) || !Array.isArray(value)) return write(value);
  const items = value.filter(isPresent);
  return items.length === 0 ? undefined : items.map(write).join("&");
}
