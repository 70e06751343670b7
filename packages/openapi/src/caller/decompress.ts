/** Compressed responses in Node, decoded with a limit: a few kilobytes can hold gigabytes. */
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
} from "node:zlib";
import { promisify } from "node:util";

/** The codings that are asked for (RFC 9110, section 8.4.1). */
export const ACCEPTED_CODINGS = "gzip, deflate, br";

/** From this many compressed bytes, decoding is done by another thread. */
const MANY_BYTES = 32 * 1024;
/** Codings on top of each other. Nobody needs two. */
const MAX_CODINGS = 2;

/** The reason why a body cannot be decoded. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTooLarge = isTooLarge;
  }
}

type Limit = { readonly maxOutputLength: number };
interface Coding {
  now(bytes: Uint8Array, limit: Limit): Buffer;
  later(bytes: Uint8Array, limit: Limit): Promise<Buffer>;
}

const GZIP: Coding = { now: gunzipSync, later: promisify(gunzip) };
const BROTLI: Coding = { now: brotliDecompressSync, later: promisify(brotliDecompress) };
const DEFLATE: Coding = { now: inflateSync, later: promisify(inflate) };
const RAW_DEFLATE: Coding = { now: inflateRawSync, later: promisify(inflateRaw) };

/** Decodes a body. Returns a promise only if it is long. */
export function decodeBody(
  body: Uint8Array,
  coding: string | undefined,
  maxBytes: number,
): Uint8Array | Promise<Uint8Array> {
  if (coding === undefined || body.length === 0) return body;
  const codings = coding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (codings.length === 0) return body;
  if (codings.length > MAX_CODINGS) throw new DecodeError("Too many content codings.", false);
  // The last coding was applied last.
  const [only = "", ...others] = codings.toReversed();
  if (others.length === 0 && body.length < MANY_BYTES) return decodeNow(body, only, maxBytes);
  return decodeLater(body, [only, ...others], maxBytes);
}

function decodeNow(body: Uint8Array, coding: string, maxBytes: number): Uint8Array {
  try {
    return findCoding(coding, body).now(body, limit(maxBytes));
  } catch (error) {
    throw explain(error, coding);
  }
}

async function decodeLater(body: Uint8Array, codings: readonly string[], maxBytes: number): Promise<Uint8Array> {
  let decoded = body;
  for (const coding of codings) {
    try {
      decoded = await findCoding(coding, decoded).later(decoded, limit(maxBytes));
    } catch (error) {
      throw explain(error, coding);
    }
  }
  return decoded;
}

function findCoding(name: string, body: Uint8Array): Coding {
  if (name === "gzip" || name === "x-gzip") return GZIP;
  if (name === "br") return BROTLI;
  // The name means the zlib format, but many servers send bare deflate (RFC 9110, section 8.4.1.2).
  if (name === "deflate") return hasZlibHeader(body) ? DEFLATE : RAW_DEFLATE;
  throw new DecodeError("The content coding is unknown.", false);
}

/** The two first bytes of the zlib format (RFC 1950, section 2.2). */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** Node cannot be asked for more than its longest buffer. */
function limit(maxBytes: number): Limit {
  return { maxOutputLength: Math.min(maxBytes, 0x7fff_ffff) };
}

function explain(error: unknown, coding: string): DecodeError {
  if (error instanceof DecodeError) return error;
  const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
  return new DecodeError(`The body is not ${coding.slice(0, 20)}.`, isTooLarge, { cause: error });
}
