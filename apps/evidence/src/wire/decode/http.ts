/** One HTTP/1.1 message as it was sent. */
export interface HttpMessage {
  /** Such as `POST /mcp HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether the body came whole. */
  readonly isComplete: boolean;
}

/** A request and what was answered, if anything was. */
export interface HttpExchange {
  readonly request: HttpMessage;
  readonly response: HttpMessage | undefined;
}

/** The messages of one HTTP connection. */
export interface HttpConversation {
  readonly exchanges: readonly HttpExchange[];
  /** The bytes that followed a switch of protocols. */
  readonly upgraded: { readonly toServer: Buffer; readonly toClient: Buffer } | undefined;
}

/** Whether these are the first bytes of an HTTP request. */
export function looksLikeHttp(bytes: Buffer): boolean {
  return /^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(bytes.toString("latin1", 0, 4096));
}

/** Reads both directions of a connection; answers come in the order of the requests (RFC 9112, section 9.3.2). */
export function decodeHttp(toServer: Buffer, toClient: Buffer): HttpConversation {
  const requests = readMessages(toServer);
  const responses = readMessages(toClient);
  const exchanges = requests.messages.map((request, index) => ({ request, response: responses.messages[index] }));
  const hasSwitched = responses.messages.at(-1)?.startLine.startsWith("HTTP/1.1 101") === true;
  return {
    exchanges,
    upgraded: hasSwitched ? { toServer: requests.rest, toClient: responses.rest } : undefined,
  };
}

function readMessages(bytes: Buffer): { messages: HttpMessage[]; rest: Buffer } {
  const messages: HttpMessage[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return { messages, rest };
    const [startLine = "", ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const headers = new Map(lines.map(readHeader));
    const afterHead = rest.subarray(headEnd + 4);
    const isInterim = /^HTTP\/1\.1 1(?!01)/.test(startLine);
    const { body, used, isComplete } = readBody(startLine, headers, afterHead);
    if (!isInterim) messages.push({ startLine, headers, body, isComplete });
    rest = afterHead.subarray(used);
    if (!isComplete || headers.has("upgrade")) return { messages, rest };
  }
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

interface Body {
  readonly body: Buffer;
  readonly used: number;
  readonly isComplete: boolean;
}

/** The length of a body (RFC 9112, section 6.3). */
function readBody(startLine: string, headers: ReadonlyMap<string, string>, bytes: Buffer): Body {
  const isResponse = startLine.startsWith("HTTP/");
  const hasNone = /^HTTP\/1\.1 (1\d\d|204|304)/.test(startLine);
  if (hasNone) return { body: Buffer.alloc(0), used: 0, isComplete: true };
  if (headers.get("transfer-encoding")?.toLowerCase().endsWith("chunked") === true) return readChunks(bytes);
  const length = headers.get("content-length");
  if (length === undefined && isResponse) return { body: bytes, used: bytes.length, isComplete: true };
  const size = Number(length ?? 0);
  return { body: bytes.subarray(0, size), used: Math.min(size, bytes.length), isComplete: bytes.length >= size };
}

function readChunks(bytes: Buffer): Body {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (Number.isNaN(size) || end + 2 > bytes.length) {
      return { body: Buffer.concat(parts), used: bytes.length, isComplete: false };
    }
    if (size === 0) return { body: Buffer.concat(parts), used: end + 2, isComplete: true };
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
