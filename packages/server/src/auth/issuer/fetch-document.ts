import { TIMED_OUT, withTimeout } from "../../bindings/admission/with-timeout.ts";
import { isObject } from "@toolwire/protocol/internal";
import { isShallow } from "../tokens/claims.ts";
import { type Claims, VerificationUnavailable } from "../tokens/verified.ts";

/** The part of `fetch` that verifiers use. */
export type AuthFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The response of an authorization server. */
export interface FetchedDocument {
  readonly status: number;
  /** The JSON object in the body; `undefined` if there is none. */
  readonly document: Claims | undefined;
}

/** How long an authorization server may take for one response. */
const TIMEOUT_MS = 5000;

/**
 * Sends a request to an authorization server and reads a JSON object. Bounded in time and size, and without redirects: they could
 * lead keys or secrets elsewhere.
 *
 * @throws VerificationUnavailable if there is no response, or one that says nothing about the token or the issuer
 */
export async function fetchDocument(
  send: AuthFetch,
  url: string,
  init: RequestInit,
  maxBytes: number,
): Promise<FetchedDocument> {
  const abort = new AbortController();
  const where = showUrl(url);
  const work = async (): Promise<FetchedDocument> => {
    const response = await send(url, { ...init, redirect: "manual", signal: abort.signal });
    const { status } = response;
    // Browsers and some runtimes show a redirect as status 0.
    if (status === 0 || (status >= 300 && status < 400)) throw new VerificationUnavailable(`${where} redirects`);
    if (status >= 500 || status === 429 || status === 408) {
      throw new VerificationUnavailable(`${where} answered with HTTP status ${status}`);
    }
    return { status, document: parseObject(await readText(response, maxBytes, where)) };
  };
  try {
    const outcome = await withTimeout(TIMEOUT_MS, work());
    if (outcome !== TIMED_OUT) return outcome;
  } catch (error) {
    abort.abort();
    if (error instanceof VerificationUnavailable) throw error;
    // The error itself is left out: it may hold the request, and that may hold a secret.
    throw new VerificationUnavailable(`${where} cannot be reached: ${reasonOf(error)}`);
  }
  abort.abort();
  throw new VerificationUnavailable(`${where} has not answered within ${TIMEOUT_MS} ms`);
}

async function readText({ body }: Response, maxBytes: number, where: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const chunk = part.value as Uint8Array;
    size += chunk.length;
    if (size > maxBytes) {
      void reader?.cancel().catch(() => {});
      throw new VerificationUnavailable(`${where} sent more than ${maxBytes} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseObject(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isShallow(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** A URL as diagnostics may show it: without the query. */
function showUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return (origin + pathname).slice(0, 200);
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { code, name } = (cause instanceof Error ? cause : error) as {
    readonly code?: unknown;
    readonly name?: unknown;
  };
  return String(typeof code === "string" ? code : name).slice(0, 100);
}
