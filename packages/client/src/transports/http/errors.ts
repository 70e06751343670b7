import {
  AuthError,
  type ErrorMessage,
  type Message,
  parseMessage,
  type PeerHandlers,
  ProtocolViolation,
  type Refusal,
  type RequestId,
  type RequestMessage,
  RpcError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
import { brandError, quoteWords } from "@toolwire/protocol/internal";
import { explainMissingScopes } from "../refusal.ts";
import type { HttpRequest, ReadHeader } from "./backend.ts";
import type { HttpExchange } from "./exchange.ts";
import type { FailedResponse } from "./message-sink.ts";

/**
 * An HTTP response that is not an MCP response. Its `status` helps to distinguish a legacy server, a wrong path and a
 * broken proxy.
 */
export class HttpStatusError extends TransportError {
  static {
    brandError(this, "HttpStatusError");
  }

  override readonly name: string = "HttpStatusError";
  readonly status: number;

  constructor(status: number, message: string, isUnread = false, retryAfter?: number) {
    const isRefusal = status < 200 || status > 299;
    super("UNEXPECTED_RESPONSE", message, {
      refusal: isRefusal ? toRefusal(status, isUnread, false, retryAfter) : undefined,
    });
    this.status = status;
  }
}

/** The states in which a server, or the gateway in front of it, has not looked at a request and may do so later. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The states by which servers say that they take no POST at this address, or none like this one. */
const REFUSES_POST: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * The states that gateways also send when the server behind them dies, or takes too long, in the middle of a request. Their words
 * name no request, and the server may have acted on it all the same.
 */
const MAY_BE_READ: ReadonlySet<number> = new Set([500, 502, 504]);

/** Says what an HTTP status means, in the words of no transport. `isError`: its body holds a JSON-RPC error. */
export function toRefusal(status: number, isUnread: boolean, isError = false, retryAfter?: number): Refusal {
  return {
    isTemporary: TEMPORARY.has(status),
    isUnread: isUnread && !MAY_BE_READ.has(status),
    suggestsOtherEra: isError ? status >= 400 && status <= 499 : REFUSES_POST.has(status),
    detail: `HTTP status ${status}`,
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** Reads the milliseconds of `Retry-After`: whole seconds, or a date (RFC 9110, section 10.2.3). `undefined` for anything else. */
export function readRetryAfter(header: ReadHeader): number | undefined {
  const value = header("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // Without a letter, a number that is no count of seconds would be read as a year.
  const date = /^[a-z]/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), 0);
}

/** The URL as errors may show it. Credentials can be in front of its host, and in its query. */
export function withoutSecrets(url: URL): string {
  return url.origin + url.pathname;
}

/** Quotes the body of a failed response as a sentence for an error message. Shortens it, because it is untrusted. */
export function quoteBody({ text, error }: Pick<FailedResponse, "text" | "error">): string {
  const words = error?.error.message ?? text;
  return words && ` It says: ${quoteWords(words)}`;
}

/** Reads the JSON-RPC error in the body of a failed response. */
export function readError(text: string): ErrorMessage | undefined {
  try {
    const message = parseMessage(text);
    return "error" in message ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Explains a failed response. `isUnread`: the server has not looked into the message that it was sent for. */
export function explainFailure(response: FailedResponse, url: URL, isUnread = false): Error {
  const { status, header } = response;
  const words = quoteBody(response);
  if (status === 401) {
    const message = `${url.origin} asks for credentials, or does not accept those in \`headers\`.${words}`;
    return new AuthError("UNAUTHORIZED", message, { challenge: header("www-authenticate") });
  }
  if (status === 403) {
    const { scopes } = (response.error && explainMissingScopes(response.error.error)) ?? {};
    const message = `${url.origin} does not allow this request with these credentials.${words}`;
    const code = scopes === undefined ? "FORBIDDEN" : "INSUFFICIENT_SCOPE";
    return new AuthError(code, message, { challenge: header("www-authenticate"), scopes });
  }
  if (status === 413) {
    return new HttpStatusError(
      status,
      `${url.origin} does not accept requests as large as this one.${words}`,
      isUnread,
    );
  }
  if (status < 400) return explainRedirect(status, url, header("location"));
  const message = `${withoutSecrets(url)} answered with HTTP status ${status}.${words}`;
  return new HttpStatusError(status, message, isUnread, readRetryAfter(header));
}

/** Explains a redirect that was not followed. Browsers do not say where it leads, and show its status as 0. */
function explainRedirect(status: number, url: URL, location: string | undefined): HttpStatusError {
  const target =
    location !== undefined && URL.canParse(location, url)
      ? `to ${withoutSecrets(new URL(location, url))}`
      : "elsewhere";
  const rule =
    status === 0
      ? "Browsers follow none of them for a program: connect to the final address."
      : "Only 307 and 308 are followed, and to no other origin: connect to the final address.";
  return new HttpStatusError(status, `${withoutSecrets(url)} redirects ${target} (HTTP status ${status}). ${rule}`);
}

/** Explains the refusal of a request. `undefined` if the JSON-RPC error in the body is the response to it. */
export function explainRefusal(response: FailedResponse, url: URL, request: RequestMessage): Error | undefined {
  const { status, error, header } = response;
  const isNamed = namesRequest(response, request.id);
  const failure = explainFailure(response, url, !isNamed);
  // 405 says that no message can be posted here, whatever the body says: HTTP+SSE servers of 2024-11-05 do so.
  if (error === undefined || status === 405 || !(failure instanceof HttpStatusError)) return failure;
  if (isNamed) return undefined;
  const { code, message, data } = error.error;
  const refusal = toRefusal(status, true, true, readRetryAfter(header));
  return new RpcError(code, message, { data, refusal, method: request.method });
}

/**
 * Whether a failed response names a request, as a number or as text: then the server has looked into the request, and may
 * have acted on it. Other servers make up an id, or leave it out. A body that is not a JSON-RPC error is searched.
 */
export function namesRequest({ error, text }: FailedResponse, id: RequestId): boolean {
  if (error !== undefined) return String(error.id) === String(id);
  return [...text.matchAll(/"id"\s*:\s*"?([^\s",}]+)/g)].some(([, found]) => found === String(id));
}

/** Explains a successful HTTP response to a request that does not hold the JSON-RPC response. */
export function explainMissingResponse(http: HttpExchange, text: string): HttpStatusError {
  const { status, url } = http;
  const type = http.clear(http.header("content-type") ?? "(none)");
  const got = `content type ${type} and a body that begins ${JSON.stringify(http.clear(text).slice(0, 200))}`;
  const message = `${withoutSecrets(url)} answered with HTTP status ${status}, ${got}: that is no response.`;
  return new HttpStatusError(status, message);
}

/** Handles a message that belongs to no request, where there is no session that it could belong to. */
export function reportUnrelated(message: Message, handlers: PeerHandlers): void {
  if (!("method" in message)) {
    const words =
      "error" in message ? quoteWords(message.error.message) : `a result for ${quoteWords(String(message.id))}`;
    handlers.violation?.(new ProtocolViolation("UNKNOWN_RESPONSE", `A response belongs to no request: ${words}`));
  } else if ("id" in message) {
    const problem = `The server sent a request (${quoteWords(message.method)}), which only legacy servers may.`;
    handlers.violation?.(new ProtocolViolation("UNEXPECTED_REQUEST", problem));
  } else handlers.notification?.(message);
}

/** The error codes of Node and Bun for a certificate that they do not trust. */
const UNTRUSTED = /^(?!ERR_SSL).*(CERT|VERIFY_LEAF)/;

/** The error codes of all other failures to connect. After these and those above, nothing can have been sent. */
const UNCONNECTED = /^(E(CONNREFUSED|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH)|ERR_SSL|UND_ERR_CONNECT|ConnectionRefused)/;

/** The error codes of undici, and so of Node's `fetch`, for header fields that only undici may send. */
const UNSENDABLE = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)/;

/** An error of a platform's network code. */
interface NetworkError extends Error {
  readonly code?: unknown;
  /** One error for each address of the host that was tried. */
  readonly errors?: readonly Error[];
}

/**
 * Explains why a request could not be sent, or its response not be read. A backend that knows whether any of the request
 * was sent says so in `wasSent`; otherwise the error code has to tell.
 */
export function explainSendFailure({ url, headers }: HttpRequest, cause: unknown, wasSent?: boolean): Error {
  const unsendable = Object.keys(headers).find((name) => !isSendable(name, headers[name]!));
  if (unsendable !== undefined) {
    // Neither the value nor the cause, which quotes it, may be shown: it may be a secret.
    const name = JSON.stringify(unsendable);
    const message = `HTTP cannot carry the header ${name}: its name or value has a character that is not allowed.`;
    return new UsageError("INVALID_ARGUMENT", message);
  }
  // `fetch` only says that it failed; the reason is its cause.
  const reason = ((cause as Error | undefined)?.cause ?? cause) as NetworkError | undefined;
  const code = String(reason?.code);
  // Some platforms quote the whole URL, which may hold a secret.
  const words = wordsOf(reason, code).replaceAll(url.href, withoutSecrets(url));
  if (UNSENDABLE.test(code)) return new UsageError("INVALID_ARGUMENT", `HTTP cannot carry these headers: ${words}.`);
  const isUntrusted = UNTRUSTED.test(code);
  if (isUntrusted || UNCONNECTED.test(code) || wasSent === false) {
    const advice = isUntrusted
      ? "To trust its certificate, name a file that has it in NODE_EXTRA_CA_CERTS, or add `connect: { ca }` to the HTTP options."
      : "Is the server running, and the URL right?";
    return new TransportError("CONNECT_FAILED", `${url.origin} cannot be reached: ${words}. ${advice}`, { cause });
  }
  return new TransportError("CONNECTION_LOST", `The connection to ${url.origin} failed: ${words}.`, { cause });
}

/** Whether a header field has only characters that HTTP allows (RFC 9110, 5.1 and 5.5). */
function isSendable(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t -~\x80-\xff]/.test(value);
}

function wordsOf(reason: NetworkError | undefined, code: string): string {
  // The messages of OpenSSL name its source files.
  if (code.startsWith("ERR_SSL")) return code;
  const text = reason?.errors?.map(({ message }) => message).join(", ") ?? reason?.message ?? String(reason);
  return text.replace(/[.\s]+$/, "");
}
