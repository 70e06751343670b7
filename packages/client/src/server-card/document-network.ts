import { type ServerCard, TransportError } from "@toolwire/protocol";
import { createPlatformFetch } from "#auth-fetch";
import { parseObject, type PlatformFetch, shown } from "../auth/network/network.ts";
import { isMorePrivate, isSecureUrl, type Zone, zoneOfHost } from "../auth/network/zones.ts";
import { inTime } from "../waiting.ts";
import { type Freshness, readFreshness } from "./freshness.ts";
import type { ReadSettings } from "./options.ts";

/** How often a server may send a reader elsewhere. */
const MAX_REDIRECTS = 3;

/** A document of a stranger. `value` is `undefined` if it is the one that the reader has already. */
export interface FetchedDocument extends Freshness {
  readonly value: { readonly [name: string]: unknown } | undefined;
}

/**
 * Gets public documents: one that the application names, and those that it leads to. All are bounded in time and size. What a document or
 * a redirect names must be https, and in no network that is more private than the one of the first document. No credentials are sent.
 */
export class DocumentNetwork {
  readonly #start: URL;
  readonly #settings: ReadSettings;
  readonly #platform: PlatformFetch;
  #startZone: Promise<Zone> | undefined;

  /** `start`: the first document. */
  constructor(start: URL, settings: ReadSettings) {
    this.#start = start;
    this.#settings = settings;
    const { fetch, connect } = settings;
    this.#platform = createPlatformFetch({ url: start, http: { fetch, connect } });
  }

  /** Gets a document of a media type. With the tag of an earlier one, nothing is sent again that has not changed. */
  async get(url: URL, type: string, etag: string | undefined): Promise<FetchedDocument> {
    const { timeout, signal } = this.#settings;
    const message = `${shown(url.href)} gave no document within ${timeout} ms.`;
    try {
      return await inTime(timeout, message, [signal], (limit) => this.#get(url, type, etag, limit));
    } catch (error) {
      if (signal?.aborted === true || error instanceof TransportError) throw error;
      throw new TransportError("CONNECT_FAILED", `${shown(url.href)} cannot be reached.`, { cause: error });
    }
  }

  async #get(url: URL, type: string, etag: string | undefined, signal: AbortSignal): Promise<FetchedDocument> {
    const headers = { accept: type, ...(etag !== undefined && { "if-none-match": etag }) };
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      await this.expectAllowed(at);
      const response = await this.#platform.fetch(at, { method: "GET", headers, redirect: "manual", signal });
      const next = locationOf(response, at);
      if (next === undefined) return this.#read(response, at, etag);
      await response.body?.cancel();
      at = next;
    }
    throw unexpected(url, `leads from one place to the next more than ${MAX_REDIRECTS} times`);
  }

  async #read(response: Response, url: URL, etag: string | undefined): Promise<FetchedDocument> {
    const { status, headers } = response;
    const freshness = readFreshness(headers, Date.now());
    if (status === 304 && etag !== undefined) return { ...freshness, etag: freshness.etag ?? etag, value: undefined };
    const type = headers.get("content-type") ?? "no media type";
    const isJson = /^\s*[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);
    if (status !== 200 || !isJson) {
      await response.body?.cancel();
      throw unexpected(url, `answered with status ${status} and ${JSON.stringify(type.slice(0, 100))} instead of JSON`);
    }
    const value = parseObject(await this.#readText(response, url));
    if (value === undefined) throw unexpected(url, "sent no JSON object");
    return { ...freshness, value };
  }

  async #readText({ body }: Response, url: URL): Promise<string> {
    const { maxBytes } = this.#settings;
    const decoder = new TextDecoder();
    const reader = body?.getReader();
    let text = "";
    let size = 0;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      size += part.value.length;
      if (size > maxBytes) {
        await reader?.cancel();
        throw unexpected(url, `sent more than ${maxBytes} bytes`);
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  }

  /** Refuses a URL to which a document must not lead. */
  async expectAllowed(url: URL): Promise<void> {
    if (!isSecureUrl(url)) throw refused(url, "is neither https nor on this machine");
    // The application itself names the first one.
    if (url.origin === this.#start.origin) return;
    const host = await this.#platform.resolve(url.hostname);
    if (host === undefined) return;
    await this.#expectZone(url, host.zone);
    host.use?.();
  }

  /**
   * Refuses the endpoints of a card whose addresses are in a more private network than the first document: cards must not name private
   * endpoints ("Information Disclosure"). Where a name leads is seen by those who connect.
   */
  async expectPublicEndpoints({ remotes = [] }: ServerCard): Promise<void> {
    for (const { url: given } of remotes) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const zone = url && zoneOfHost(url.hostname);
      if (url !== undefined && zone !== undefined && url.origin !== this.#start.origin) {
        await this.#expectZone(url, zone);
      }
    }
  }

  async #expectZone(url: URL, zone: Zone): Promise<void> {
    const limit = this.#settings.allowNetwork ?? (await (this.#startZone ??= this.#findStartZone()));
    if (!isMorePrivate(zone, limit)) return;
    const message = `is in a more private network (${zone}) than ${this.#start.host} (${limit})`;
    throw refused(url, `${message}. If that is right, set \`allowNetwork: "${zone}"\``);
  }

  async #findStartZone(): Promise<Zone> {
    return (await this.#platform.resolve(this.#start.hostname))?.zone ?? "public";
  }
}

/** Where a redirect leads; `undefined` if a response is none. */
function locationOf({ status, headers, type }: Response, from: URL): URL | undefined {
  if (type === "opaqueredirect") throw unexpected(from, "leads elsewhere, and the browser does not tell where");
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = headers.get("location") ?? "";
  if (location !== "" && URL.canParse(location, from.href)) return new URL(location, from);
  throw unexpected(from, "leads elsewhere, but to no URL");
}

function unexpected(url: URL, what: string): TransportError {
  return new TransportError("UNEXPECTED_RESPONSE", `${shown(url.href)} ${what}.`);
}

function refused(url: URL, why: string): TransportError {
  return new TransportError("CONNECT_FAILED", `${shown(url.href)} is not used: it ${why}.`);
}
