/**
 * Values as the styles of OpenAPI write them (3.1.2, section 4.8.12.5 "Style Values"). The name of a style and whether it
 * explodes are looked at once; each parameter then has a function that writes its values.
 */
import { expectDepth, isComposite, isPresent, membersOf, textOf } from "./arguments.ts";
import type { Encode } from "./encode.ts";
import type { ParameterSpec, ParameterStyle } from "./request-spec.ts";

/** Writes a value that is present. `undefined`: an empty list or object, so there is nothing to write. */
export type WriteValue = (value: unknown) => string | undefined;

/** The choices that a style leaves. */
export interface StyleOptions {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Encoded already. */
  readonly name: string;
  readonly encode: Encode;
  /** Names the argument in errors. */
  readonly label: string;
  /** Written between `name=value` pairs: `&` in queries, `; ` in cookies. */
  readonly pairSeparator: string;
  readonly deepObjectArrays?: ParameterSpec["deepObjectArrays"];
}

/** The encoded characters between the items of a delimited list. Unencoded ones are not legal in a URL. */
const DELIMITERS = { spaceDelimited: "%20", pipeDelimited: "%7C", tabDelimited: "%09" } as const;

/** Compiles a style to a function that writes values. */
export function compileStyle(options: StyleOptions): WriteValue {
  const { style, explode } = options;
  switch (style) {
    case "simple":
      return (value) => joinItems(options, value, ",", explode ? "=" : ",");
    case "label":
      return prefixed(".", (value) => joinItems(options, value, explode ? "." : ",", explode ? "=" : ","));
    case "matrix":
      return explode
        ? prefixed(";", (value) => joinPairs(options, value, ";", omitEmpty))
        : (value) => withName(`;${options.name}`, joinItems(options, value, ",", ","), omitEmpty);
    case "deepObject":
      return (value) => writeDeepObject(options, value);
    case "form":
      return explode ? explodeForm(options) : delimitForm(options, ",");
    default:
      // OpenAPI does not define these with `explode`. Other tools write the name again for each item, as `form` does.
      return explode ? explodeForm(options) : delimitForm(options, DELIMITERS[style]);
  }
}

function explodeForm(options: StyleOptions): WriteValue {
  return (value) => joinPairs(options, value, options.pairSeparator, keepEmpty);
}

function delimitForm(options: StyleOptions, delimiter: string): WriteValue {
  return (value) => withName(options.name, joinItems(options, value, delimiter, delimiter), keepEmpty);
}

/** Puts a name before a value. RFC 6570 writes an empty value differently in paths and in queries. */
type NameValue = (name: string, value: string) => string;
const keepEmpty: NameValue = (name, value) => `${name}=${value}`;
const omitEmpty: NameValue = (name, value) => (value === "" ? name : `${name}=${value}`);

function withName(name: string, value: string | undefined, write: NameValue): string | undefined {
  return value === undefined ? undefined : write(name, value);
}

function prefixed(prefix: string, write: WriteValue): WriteValue {
  return (value) => {
    const written = write(value);
    return written === undefined ? undefined : prefix + written;
  };
}

/** Items one after the other, without the name of the parameter. */
function joinItems(
  { encode, label }: StyleOptions,
  value: unknown,
  separator: string,
  ofPair: string,
): string | undefined {
  if (!isComposite(value)) return encode(textOf(value, label), label);
  const items = Array.isArray(value)
    ? value.filter(isPresent).map((item) => encode(textOf(item, label), label))
    : membersOf(value).map(([name, member]) => encode(name, label) + ofPair + encode(textOf(member, label), label));
  return items.length === 0 ? undefined : items.join(separator);
}

/** Each item with a name: that of the parameter for a list, its own for a member of an object. */
function joinPairs(options: StyleOptions, value: unknown, separator: string, write: NameValue): string | undefined {
  const { name, encode, label } = options;
  if (!isComposite(value)) return write(name, encode(textOf(value, label), label));
  const pairs = Array.isArray(value)
    ? value.filter(isPresent).map((item) => write(name, encode(textOf(item, label), label)))
    : membersOf(value).map(([key, member]) => write(encode(key, label), encode(textOf(member, label), label)));
  return pairs.length === 0 ? undefined : pairs.join(separator);
}

/** `color[R]=100`, with brackets encoded. Values below are written in the same way, as many APIs understand it. */
function writeDeepObject(options: StyleOptions, value: unknown): string | undefined {
  const pairs: string[] = [];
  collectDeep(options, options.name, value, pairs, 0);
  return pairs.length === 0 ? undefined : pairs.join(options.pairSeparator);
}

function collectDeep(options: StyleOptions, name: string, value: unknown, pairs: string[], depth: number): void {
  const { encode, label, deepObjectArrays: lists = "brackets" } = options;
  expectDepth(depth, label);
  if (!isComposite(value)) {
    pairs.push(`${name}=${encode(textOf(value, label), label)}`);
  } else if (Array.isArray(value)) {
    const items = value.filter(isPresent);
    // `color[][name]` does not say where an object ends and the next begins.
    const isIndexed = lists === "indices" || (lists === "brackets" && items.some(isComposite));
    for (const [index, item] of items.entries()) {
      const place = isIndexed ? `%5B${index}%5D` : lists === "brackets" ? "%5B%5D" : "";
      collectDeep(options, name + place, item, pairs, depth + 1);
    }
  } else {
    for (const [key, member] of membersOf(value)) {
      collectDeep(options, `${name}%5B${encode(key, label)}%5D`, member, pairs, depth + 1);
    }
  }
}
