import { ErrorCode, RpcError } from "../errors.ts";
import type { RequestId } from "../model/basic.ts";
import type { ErrorMessage, ErrorObject, Message } from "./message.ts";

/** UTF-8 text. `Uint8Array` is generic from TypeScript 5.7 on, and users of older versions compile this, too. */
type Utf8Bytes = ReturnType<TextEncoder["encode"]>;

/**
 * Under this key, results with a JSON text of their own say of which kind they are. Unlike a class, the key is the same
 * in all copies of this package that an application may load.
 */
const KIND = Symbol.for("toolwire.result");

type Kind = "prepared" | "self-encoding";

function setKind(resultClass: { readonly prototype: object }, kind: Kind): void {
  Object.defineProperty(resultClass.prototype, KIND, { value: kind });
}

function isPrepared(result: object): result is PreparedJson {
  return (result as { readonly [KIND]?: Kind } | undefined)?.[KIND] === "prepared";
}

function isSelfEncoding(result: object): result is SelfEncoding {
  return (result as { readonly [KIND]?: Kind } | undefined)?.[KIND] === "self-encoding";
}

/** From this length on, text is kept as bytes, too: encoding it would cost more than the rest of a response. */
const LONG = 4096;

/**
 * A value together with its JSON text, made once and sent many times, such as a list of a hundred tools. In-memory transports pass on {@link value}, all others write {@link text}, or
 * {@link bytes} where they can.
 */
export class PreparedJson<T extends object = object> {
  readonly #source: T;
  #value: T | undefined;
  #text: string | undefined;
  #bytes: Utf8Bytes | undefined;

  static {
    setKind(this, "prepared");
  }

  constructor(value: T, text?: string) {
    this.#source = value;
    this.#text = text;
  }

  /** The value of the text, deeply frozen: all receivers share the same objects, and cannot change them. */
  get value(): T {
    return (this.#value ??= JSON.parse(this.text, (_, value: unknown) => Object.freeze(value)) as T);
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.#source));
  }

  /** The value that `JSON.stringify` writes. */
  toJSON(): T {
    return this.value;
  }

  /** The text in UTF-8, if it is long. */
  get bytes(): Utf8Bytes | undefined {
    if (this.#bytes === undefined && this.text.length >= LONG) this.#bytes = new TextEncoder().encode(this.text);
    return this.#bytes;
  }
}

/** A result that writes itself as JSON, faster than `JSON.stringify` could. Otherwise it is an object like any other. */
export abstract class SelfEncoding {
  static {
    setKind(this, "self-encoding");
  }

  abstract encode(): string;
}

/** A text whose middle is prepared bytes. */
export interface EncodedParts {
  readonly before: string;
  readonly bytes: Utf8Bytes;
  readonly after: string;
}

/** The JSON text of a message, on one line. Throws what `JSON.stringify` throws for values JSON cannot hold. */
export function encodeMessage(message: Message | readonly Message[]): string {
  if (Array.isArray(message)) return `[${message.map(encodeMessage).join(",")}]`;
  return encodeOne(message as Message);
}

function encodeOne(message: Message): string {
  if ("result" in message) {
    if (isPrepared(message.result)) return encodeResponse(message.id, message.result.text);
    if (isSelfEncoding(message.result)) return encodeResponse(message.id, message.result.encode());
  }
  return JSON.stringify(message);
}

function encodeResponse(id: RequestId, result: string): string {
  return `${encodeHead(id)}${result}}`;
}

function encodeHead(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":`;
}

/** As {@link encodeMessage}, but leaves prepared bytes as they are, for transports that can send bytes. */
export function encodeParts(message: Message | readonly Message[]): string | EncodedParts {
  if ("result" in message && isPrepared(message.result)) {
    const { bytes } = message.result;
    if (bytes !== undefined) {
      return { before: encodeHead(message.id), bytes, after: "}" };
    }
  }
  return encodeMessage(message);
}

/** The same message with a prepared result replaced by its value, for transports that pass objects on. */
export function unwrapMessage(message: Message): Message {
  if (!("result" in message && isPrepared(message.result))) return message;
  const { value } = message.result;
  return { jsonrpc: "2.0", id: message.id, result: value };
}

/**
 * The response that reports an error. Errors other than {@link RpcError} become a bare "Internal error", so that
 * internals do not leak.
 */
export function toErrorResponse(id: RequestId | undefined, error: unknown): ErrorMessage {
  const object = toErrorObject(error);
  return id === undefined ? { jsonrpc: "2.0", error: object } : { jsonrpc: "2.0", id, error: object };
}

function toErrorObject(error: unknown): ErrorObject {
  if (!(error instanceof RpcError)) return { code: ErrorCode.InternalError, message: "Internal error" };
  const { code, message, data } = error;
  // The peer would have to refuse a response whose code is not an integer.
  const known = Number.isInteger(code) ? code : ErrorCode.InternalError;
  return { code: known, message, ...(data !== undefined && { data }) };
}
