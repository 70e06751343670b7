import { AuthError } from "@toolwire/protocol";
import { createPlatformFetch } from "#auth-fetch";
import { hasCredentials } from "../../server-url.ts";
import type { AuthServer } from "../../transports/client-auth.ts";
import { inTime } from "../../waiting.ts";
import { isMorePrivate, isSecureUrl, type Zone } from "./zones.ts";

/** The largest response of an authorization server, and the longest time that it may take. */
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Sends a request and resolves to its whole response. `RequestInit` is what `oauth4webapi` makes as well. */
export type AuthFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The part of the platform that sends requests to authorization servers. */
export interface PlatformFetch {
  fetch(url: URL, init: RequestInit): Promise<Response>;
  /** Finds the zone of a host, by a look into the DNS where the platform has one. `undefined`: it cannot be known. */
  resolve(hostname: string): Promise<ResolvedHost | undefined>;
}

/** A host, and the network that it is in. */
export interface ResolvedHost {
  readonly zone: Zone;
  /** Makes connections to this host go to the very addresses that were found. Call it once the zone was accepted. */
  use?(): void;
}

/**
 * The requests that are made on behalf of one MCP server, to URLs that it names: metadata, tokens, registrations. They are
 * bounded in time and size, follow no redirects, and stay out of networks that are more private than that of the server.
 */
export class AuthNetwork {
  readonly #platform: PlatformFetch;
  readonly #server: AuthServer;
  readonly #allowed: Zone | undefined;
  #serverZone: Promise<Zone> | undefined;

  /** `allowed`: the most private zone that may be used, whatever the zone of the server is. */
  constructor(server: AuthServer, allowed: Zone | undefined) {
    this.#server = server;
    this.#allowed = allowed;
    this.#platform = createPlatformFetch(server);
  }

  /** Sends a request with the rules above. Rejects with `TEMPORARY` if there is no response. */
  readonly fetch: AuthFetch = async (href, init) => {
    const url = readSecureUrl(href, "A URL of the authorization server");
    const where = `${url.origin}${url.pathname}`;
    const send = async (signal: AbortSignal): Promise<Response> => {
      await this.#checkZone(url);
      return readWhole(await this.#platform.fetch(url, { ...init, redirect: "manual", signal }), where);
    };
    try {
      const message = `no answer within ${TIMEOUT_MS} ms`;
      return await inTime(TIMEOUT_MS, message, [init.signal ?? undefined], send);
    } catch (error) {
      if (init.signal?.aborted === true || error instanceof AuthError) throw error;
      // The cause is left out: libraries put whole requests into it, and those have secrets.
      throw new AuthError("TEMPORARY", `${where} cannot be reached: ${reasonOf(error)}. Try again later.`);
    }
  };

  /** Gets a JSON document, and names a revision if that wants to be named. The document is `undefined` if there is none: another status than 200, or no JSON object. */
  async getDocument(url: string, signal: AbortSignal | undefined, revision?: string): Promise<FetchedDocument> {
    // Browsers ask servers of other origins beforehand about a header such as the second one, and many refuse it.
    const headers = { accept: "application/json", ...(revision !== undefined && { "mcp-protocol-version": revision }) };
    const response = await this.fetch(url, { method: "GET", headers, ...(signal && { signal }) });
    const { status } = response;
    if (status >= 500 || status === 429 || status === 408) {
      throw new AuthError("TEMPORARY", `${shown(url)} answered with HTTP status ${status}. Try again later.`);
    }
    if (status !== 200) return { status, document: undefined };
    const document = parseObject(await response.text());
    return { status, document };
  }

  /** The challenge of the server to a request without credentials, which may say where its metadata are. */
  async askForChallenge(signal: AbortSignal): Promise<string | undefined> {
    const headers = { accept: "application/json, text/event-stream" };
    const { url } = this.#server;
    readSecureUrl(url.href, "The server");
    try {
      const work = (limit: AbortSignal): Promise<Response> =>
        this.#platform.fetch(url, { method: "GET", headers, redirect: "manual", signal: limit });
      const response = await inTime(TIMEOUT_MS, "", [signal], work);
      // The body may be a stream that never ends.
      await response.body?.cancel();
      return response.headers.get("www-authenticate") ?? undefined;
    } catch {
      signal.throwIfAborted();
      // The metadata are looked for at their usual places then.
      return undefined;
    }
  }

  /** The same network for URLs that the application names: they may lead anywhere. */
  anywhere(): AuthNetwork {
    return new AuthNetwork(this.#server, "link-local");
  }

  /** Checks a page before a user is sent there: it must not be in a more private network than the server either. */
  async checkPage(url: URL): Promise<void> {
    // A name that is not known here may be known to the browser, which may run on another machine.
    const host = await this.#platform.resolve(url.hostname).catch(() => undefined);
    await this.#expectZone(url, host);
  }

  async #checkZone(url: URL): Promise<void> {
    await this.#expectZone(url, await this.#platform.resolve(url.hostname));
  }

  async #expectZone(url: URL, host: ResolvedHost | undefined): Promise<void> {
    // The server's own origin is where the application wants to go.
    if (host === undefined || url.origin === this.#server.url.origin) return;
    const { zone } = host;
    const limit = this.#allowed ?? (await (this.#serverZone ??= this.#findServerZone()));
    if (!isMorePrivate(zone, limit)) {
      host.use?.();
      return;
    }
    const message = `${this.#server.url.origin} leads to ${url.host}, which is in a more private network (${zone}) than itself (${limit}).`;
    throw new AuthError("INSECURE_URL", `${message} If that is right, set \`allowNetwork: "${zone}"\`.`);
  }

  async #findServerZone(): Promise<Zone> {
    const { hostname } = this.#server.url;
    return (await this.#platform.resolve(hostname))?.zone ?? "public";
  }
}

/** A document, and the status that it came with. */
export interface FetchedDocument {
  readonly status: number;
  readonly document: JsonObject | undefined;
}

/** A JSON object of a stranger. */
export type JsonObject = { readonly [name: string]: unknown };

/** Reads a URL that credentials may be sent to: https, or http on this machine, without user info. */
export function readSecureUrl(href: unknown, what: string): URL {
  const url = typeof href === "string" && URL.canParse(href) ? new URL(href) : undefined;
  if (url === undefined) throw new AuthError("INSECURE_URL", `${what} is no URL.`);
  if (hasCredentials(url)) throw new AuthError("INSECURE_URL", `${what} holds a user name or password.`);
  if (isSecureUrl(url)) return url;
  throw new AuthError(
    "INSECURE_URL",
    `${what} must be an https URL, or an http URL of this machine; it is ${shown(url.href)}.`,
  );
}

/** A URL as errors may show it. */
export function shown(href: string): string {
  if (!URL.canParse(href)) return "no URL";
  const { protocol, host, pathname } = new URL(href);
  return `${protocol}//${host}${pathname}`.slice(0, 200);
}

/** Reads a response that may not be larger than the limit. */
async function readWhole(response: Response, where: string): Promise<Response> {
  const { status, headers, body } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    chunks.push(part.value);
    size += part.value.length;
    if (size <= MAX_BYTES) continue;
    await reader?.cancel();
    throw new AuthError("UNSUPPORTED_SERVER", `${where} sent more than ${MAX_BYTES} bytes.`);
  }
  // `Response` takes neither the body nor the status of an opaque redirect, which browsers show as 0.
  const isBodiless = status === 204 || status === 304 || size === 0;
  const text = isBodiless ? null : new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return new Response(text, { status: status === 0 ? 302 : status, headers: new Headers([...headers]) });
}

/** The most levels that a document may be nested. */
const MAX_LEVELS = 32;

/** Reads a JSON object; `undefined` if a text is none, or nested without end. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isShallow(value, MAX_LEVELS) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const reason = (cause instanceof Error ? cause : error) as { readonly code?: unknown; readonly message?: unknown };
  return String(typeof reason.code === "string" ? reason.code : reason.message)
    .slice(0, 200)
    .replace(/\.$/, "");
}
