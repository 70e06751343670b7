import {
  AuthError,
  ProtocolViolation,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  RpcError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";
import type { Refusal } from "./response.ts";
import type { HttpRequest } from "./backend.ts";

/** What a successful answer means that does not hold the response it was sent for. */
export function toNoAnswer(status: number, url: URL, contentType: string | undefined, text: string): HttpStatusError {
  const got = `content type ${contentType ?? "(none)"} and a body that begins ${JSON.stringify(text.slice(0, 200))}`;
  const message = `${placeOf(url)} answered with HTTP status ${status}, ${got}: that is no response.`;
  return new HttpStatusError(status, message);
}

/**
 * An HTTP response that is not an MCP response. Its `status` helps to distinguish a legacy server, a wrong path and a
 * broken proxy.
 */
export class HttpStatusError extends TransportError {
  override readonly name: string = "HttpStatusError";
  readonly status: number;

  constructor(status: number, message: string) {
    super("UNEXPECTED_RESPONSE", message);
    this.status = status;
  }
}

/**
 * What is wrong with a message that belongs to no request, where there is no session that it could belong to. Loaded
 * with the first of them.
 */
export function explainStray(message: RequestMessage | ResponseMessage): ProtocolViolation {
  if ("method" in message) {
    const problem = `The server sent a request (${quoteWords(message.method)}), which only legacy servers may.`;
    return new ProtocolViolation("UNEXPECTED_REQUEST", problem);
  }
  const said =
    "error" in message ? quoteWords(message.error.message) : `a result for ${quoteWords(String(message.id))}`;
  return new ProtocolViolation("UNKNOWN_RESPONSE", `An answer belongs to no request: ${said}`);
}

/** A URL as errors may name it: credentials are found before the origin, and in the query. */
export function placeOf(url: URL): string {
  return url.origin + url.pathname;
}

/** Quotes the body of a refusal as a sentence for an error message. Cuts it, because its words are untrusted. */
export function wordsOf({ text, error }: Pick<Refusal, "text" | "error">): string {
  const words = error?.error.message ?? text;
  return words && ` It says: ${quoteWords(words)}`;
}

/** What an unsuccessful answer means to whoever asked. */
export function toFailure(refusal: Refusal, url: URL): Error {
  const { status, header } = refusal;
  const detail = wordsOf(refusal);
  if (status === 401 || status === 403) {
    const challenge = header("www-authenticate");
    return status === 401
      ? new AuthError("UNAUTHORIZED", `${url.origin} wants credentials, or other ones.${detail}`, { challenge })
      : new AuthError("FORBIDDEN", `${url.origin} refuses access.${detail}`, { challenge });
  }
  if (status === 413) return new HttpStatusError(status, `${url.origin} finds this request too large.${detail}`);
  if (status < 400) return toRedirectFailure(status, url, header("location"));
  return new HttpStatusError(status, `${placeOf(url)} answered with HTTP status ${status}.${detail}`);
}

/** Browsers keep to themselves where a redirect leads, and call its status 0. */
function toRedirectFailure(status: number, url: URL, location: string | undefined): HttpStatusError {
  const where =
    location !== undefined && URL.canParse(location, url) ? `to ${placeOf(new URL(location, url))}` : "elsewhere";
  const rule =
    status === 0 ? "Browsers follow none: connect there." : "Only 307 and 308 are followed, to no other origin.";
  return new HttpStatusError(status, `${placeOf(url)} redirects ${where} (HTTP status ${status}). ${rule}`);
}

/** Refusals by servers that have not looked into the request, as they do not name it: only such a call may be sent again. */
export const unread: WeakSet<object> = new WeakSet<object>();

/**
 * What its refusal means to a request; `undefined` if the error in it is the response. `forget` ends the session that it was
 * sent in, if there was one, for the sake of later requests.
 */
export function explainRefusal(
  refusal: Refusal,
  url: URL,
  { id, method }: RequestMessage,
  forget: (() => void) | undefined,
): Error | undefined {
  const { status, error } = refusal;
  const isNamed = namesRequest(refusal, id);
  const loss = forget && sessionLossOf(refusal, isNamed);
  if (loss === "certain") return forgottenSession(refusal, url);
  if (isNamed && status === 404) forget?.();
  let failure = toFailure(refusal, url);
  // 405 says that nothing is posted here, whatever the words: HTTP+SSE servers of 2024-11-05 say so.
  if (error !== undefined && status !== 405 && failure instanceof HttpStatusError) {
    if (isNamed) return undefined;
    const { code, message, data } = error.error;
    failure = new RpcError(code, message, { data, httpStatus: status, method });
  }
  if (!isNamed) unread.add(failure);
  return loss === "guess" ? new GuessedSessionLoss(refusal, url, failure) : failure;
}

/**
 * Whether a refusal names a request, as a number or as text: then the server has looked into it, and may have acted on it.
 * Others make up an id, or leave it out. Where the refusal cannot be read as an error, its text is searched.
 */
export function namesRequest({ error, text }: Refusal, id: RequestId): boolean {
  if (error !== undefined) return String(error.id) === String(id);
  return [...text.matchAll(/"id"\s*:\s*"?([^\s",}]+)/g)].some(([, found]) => found === String(id));
}

/** What Node and Bun say of a certificate that they do not trust. */
const UNTRUSTED = /^(?!ERR_SSL).*(CERT|VERIFY_LEAF)/;

/** What they say when no connection came about for another reason. In both cases nothing can have been sent. */
const UNCONNECTED = /^(E(CONNREFUSED|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH)|ERR_SSL|UND_ERR_CONNECT|ConnectionRefused)/;

/** What undici, and so the `fetch` of Node, says of fields that are its own to send, such as `transfer-encoding`. */
const UNSENDABLE = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)/;

/** The parts of an error that tell what happened. */
interface Reason extends Error {
  readonly code?: unknown;
  /** One for each address of a host that was tried. */
  readonly errors?: readonly Error[];
}

/**
 * Why a request could not be sent, or what came back not be read. A port that knows whether any of it was sent says so;
 * otherwise the error has to tell.
 */
export function toSendFailure({ url, headers }: HttpRequest, cause: unknown, wasSent?: boolean): Error {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t -~\x80-\xff]/.test(value)) continue;
    // The value may be a secret, so it is not repeated; nor is the cause kept, which does that.
    const message = `HTTP cannot carry the header ${JSON.stringify(name)}: a character in its name or value is forbidden.`;
    return new UsageError("INVALID_ARGUMENT", message);
  }
  // `fetch` only says that it failed, and has the reason as its cause.
  const reason = ((cause as Error | undefined)?.cause ?? cause) as Reason | undefined;
  const code = String(reason?.code);
  // Some platforms repeat the whole URL, and there may be a secret in it.
  const said = textOf(reason, code).replaceAll(url.href, placeOf(url));
  if (UNSENDABLE.test(code)) return new UsageError("INVALID_ARGUMENT", `HTTP cannot carry these headers: ${said}.`);
  if (UNTRUSTED.test(code)) {
    const advice =
      "To trust its certificate, name a file that has it in NODE_EXTRA_CA_CERTS, or pass `connect: { ca }` to " +
      "`createNodeHttpTransport` of @toolwire/client/node.";
    return new TransportError("CONNECT_FAILED", `${url.origin} cannot be reached: ${said}. ${advice}`, { cause });
  }
  if (UNCONNECTED.test(code) || wasSent === false) {
    const advice = "Is the server running, and the URL right?";
    return new TransportError("CONNECT_FAILED", `${url.origin} cannot be reached: ${said}. ${advice}`, { cause });
  }
  return new TransportError("CONNECTION_LOST", `The connection to ${url.origin} failed: ${said}.`, { cause });
}

function textOf(reason: Reason | undefined, code: string): string {
  // What OpenSSL says is for whoever reads its source.
  if (code.startsWith("ERR_SSL")) return code;
  const text = reason?.errors?.map(({ message }) => message).join(", ") ?? reason?.message ?? String(reason);
  return text.replace(/[.\s]+$/, "");
}

/**
 * How sure it is that a server has refused a message because it does not know its session. After a certain loss, the message
 * can be sent again in another session: nothing has looked into it. After a guess, only what does no harm twice can.
 */
export type SessionLoss = "certain" | "guess";

/**
 * What the official SDKs, their examples and older servers of this SDK say, word for word, when they do not know a session,
 * by the HTTP status that they say it with. They do so before they look into a request, whether or not they repeat its id.
 */
const WORDINGS: { readonly [status: number]: readonly string[] } = {
  400: ["Bad Request: Server not initialized", "Bad Request: No valid session ID provided"],
  401: ["Unauthorized: Session not found"],
  404: ["Session not found", "No such session, or it has ended. Open one with `initialize`, without `Mcp-Session-Id`."],
};

/**
 * Whether a refusal is the loss of the session that its message was sent in. `isNamed` says that it names the message: then,
 * unless its words are known, the server has looked into the message, and the refusal may be about anything.
 */
export function sessionLossOf({ status, error, text }: Refusal, isNamed: boolean): SessionLoss | undefined {
  const said = error?.error.message ?? text.trim();
  if (WORDINGS[status]?.includes(said) === true) return "certain";
  if (isNamed) return undefined;
  // Many servers do not say 404, as the specification wants it: some say 400 with a general code or in words, and some 401.
  if (status === 404) return "certain";
  if (status === 400) return error?.error.code === -32_000 || /session/i.test(said) ? "guess" : undefined;
  return status === 401 && /session not found/i.test(said) ? "guess" : undefined;
}

/** The error of a certain loss. */
export function forgottenSession(refusal: Refusal, url: URL): TransportError {
  return new TransportError("SESSION_EXPIRED", `${url.origin} does not know this session.${wordsOf(refusal)}`);
}

/** The error of a guess. Its `cause` is what the refusal means if the guess is wrong. */
export class GuessedSessionLoss extends TransportError {
  declare readonly cause: Error;

  constructor(refusal: Refusal, url: URL, cause: Error) {
    super("SESSION_EXPIRED", `${url.origin} may have forgotten this session.${wordsOf(refusal)}`, { cause });
  }
}
