/** Bodies of requests, from one argument or from several. */
import { UsageError } from "@toolwire/protocol";
import { compileRead, isPresent, jsonOf, labelOf, type ReadArgument, refuseArgument, textOf } from "./arguments.ts";
import { MAX_FILE_BYTES, readFile } from "./file-value.ts";
import { compileForm } from "./form-body.ts";
import { isMediaType, isTypeRange } from "./media-type.ts";
import { writeMultipart } from "./multipart-body.ts";
import type { BodyProperty, BodySpec } from "./request-spec.ts";

/** A body, and its `Content-Type`. */
interface WrittenBody {
  readonly content: string | Uint8Array;
  readonly type: string;
}

/** Writes the body of a call. `undefined`: there is none. */
export type WriteBody = (args: object) => WrittenBody | undefined;

/** Compiles a body. */
export function compileBody(spec: BodySpec): WriteBody {
  const { from } = spec;
  expectContentType(spec);
  const write = compileFormat(spec);
  if ("argument" in from) {
    const read = compileRead(from.argument);
    const label = labelOf(from.argument);
    return (args) => {
      const value = read(args);
      // `null` is a value in JSON, and the only one that can clear what is there.
      const isGiven = spec.format === "json" ? value !== undefined : isPresent(value);
      return isGiven ? write(value, label) : undefined;
    };
  }
  const assemble = compileProperties(from.properties);
  const isRequired = spec.isRequired ?? true;
  return (args) => {
    const fields = assemble(args);
    return fields === undefined && !isRequired ? undefined : write(fields ?? {}, "body");
  };
}

function expectContentType({ contentType, format }: BodySpec): void {
  if (isMediaType(contentType) || (format === "binary" && contentType.includes("*"))) return;
  throw new UsageError("INVALID_DEFINITION", `"${contentType}" is no media type for a body.`);
}

/** Writes a whole body; the label names the argument in errors. */
type WriteFormat = (value: unknown, label: string) => WrittenBody;

function compileFormat(spec: BodySpec): WriteFormat {
  const { format, contentType: type, encoding, maxFileBytes = MAX_FILE_BYTES } = spec;
  switch (format) {
    case "json":
      return (value, label) => ({ content: jsonOf(value, label), type });
    case "form": {
      const write = compileForm(encoding);
      return (value, label) => ({ content: write(expectFields(value, label), label), type });
    }
    case "multipart":
      return (value, label) => {
        const { bytes, boundary } = writeMultipart(expectFields(value, label), encoding, maxFileBytes);
        return { content: bytes, type: `${type}; boundary=${boundary}` };
      };
    case "binary":
      return (value, label) => {
        const { bytes, mimeType } = readFile(value, maxFileBytes, label);
        return { content: bytes, type: isTypeRange(type) ? (mimeType ?? "application/octet-stream") : type };
      };
    default:
      return (value, label) => ({ content: textOf(value, label), type });
  }
}

function expectFields(value: unknown, label: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw refuseArgument(label, "it must be an object, because its members become the fields of a form");
}

/** A property on its way from an argument to its place in the body. */
interface PropertySlot {
  readonly read: ReadArgument;
  readonly property: readonly string[];
}

/** Compiles the way from arguments to the properties of a body. `undefined` if none of them is given. */
function compileProperties(properties: readonly BodyProperty[]): (args: object) => object | undefined {
  expectDistinct(properties);
  const slots = properties.map(({ argument, property }): PropertySlot => ({ read: compileRead(argument), property }));
  return (args) => {
    let body: object | undefined;
    for (const { read, property } of slots) {
      const value = read(args);
      if (value !== undefined) setProperty((body ??= {}), property, value);
    }
    return body;
  };
}

/** Two properties in one place would overwrite each other, or change an object that belongs to the caller. */
function expectDistinct(properties: readonly BodyProperty[]): void {
  const places = properties
    .map(({ property }) => property.map((name) => `${JSON.stringify(name)}/`).join(""))
    .toSorted();
  for (const [index, place] of places.entries()) {
    if (place === "" || (index > 0 && place.startsWith(places[index - 1]!))) {
      throw new UsageError("INVALID_DEFINITION", `Two arguments become the same property of the body: ${place}`);
    }
  }
}

type Members = { [name: string]: unknown };

function setProperty(body: object, property: readonly string[], value: unknown): void {
  let target = body as Members;
  for (const name of property.slice(0, -1)) {
    if (!Object.hasOwn(target, name)) setOwn(target, name, {});
    target = target[name] as Members;
  }
  setOwn(target, property.at(-1)!, value);
}

/** Assigning to `__proto__` would set the prototype instead of a member. */
function setOwn(target: Members, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
