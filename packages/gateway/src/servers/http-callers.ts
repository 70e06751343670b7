import type { HttpConnector } from "@toolwire/client";
import { createHttpCaller, createNetworkGuard, type HttpCaller, type HttpDiagnostic } from "@toolwire/openapi";
import { UsageError } from "@toolwire/server";
import type { NetworkConfig } from "../config/config.ts";
import type { GatewayEvent } from "../gateway.ts";

/** The largest OpenAPI document, in bytes. GitHub's has 13 million. */
export const MAX_DOCUMENT: number = 20 * 1024 * 1024;

/** The limits of requests for documents. */
const DOCUMENT_LIMITS = { timeout: 30_000, maxBytes: MAX_DOCUMENT, retries: 2 };

/** Callers of APIs, one for each network policy: connections are never shared between servers that may reach different places. */
export class HttpCallers {
  readonly #callers = new Map<string, HttpCaller>();
  readonly #report: (event: GatewayEvent) => void;

  /** `report` is told what operators should know, such as an address that was refused. */
  constructor(report: (event: GatewayEvent) => void) {
    this.#report = report;
  }

  get({ allow = [] }: NetworkConfig): HttpCaller {
    const key = keyOf(allow);
    const known = this.#callers.get(key);
    if (known !== undefined) return known;
    const caller = createHttpCaller({
      network: { allow },
      onDiagnostic: (diagnostic) => this.#report(eventOf(diagnostic)),
    });
    this.#callers.set(key, caller);
    return caller;
  }

  /** Opens connections to other MCP servers, to the same addresses as requests. */
  connectorFor({ allow = [] }: NetworkConfig): HttpConnector {
    const guard = createNetworkGuard({
      network: { allow },
      onDiagnostic: (diagnostic) => this.#report(eventOf(diagnostic)),
    });
    return (target, callback) => guard.connect(target, callback);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#callers.values()].map((caller) => caller.close()));
  }
}

/** A refused address is for the operator to allow. The other failures are those of calls, which say more about themselves. */
function eventOf(diagnostic: HttpDiagnostic): GatewayEvent {
  if (diagnostic.type === "address-refused") return { level: "warning", message: diagnostic.message };
  const { origin, message } = diagnostic;
  return {
    level: "debug",
    message: `${origin}: ${message}${diagnostic.type === "retried" ? ". The request is repeated." : ""}`,
  };
}

/** Tells network policies apart. */
export function keyOf(allow: readonly string[] = []): string {
  return JSON.stringify([...new Set(allow)].toSorted());
}

/**
 * Fetches an OpenAPI document.
 *
 * @throws ToolwireError whose text may be shown
 */
export async function fetchDocument(
  caller: HttpCaller,
  url: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<string> {
  const { origin, pathname, search, protocol, username, password } = expectUrl(url);
  if (protocol !== "https:" && protocol !== "http:") throw notFetched("its URL must begin with https:// or http://.");
  if (username !== "" || password !== "") throw notFetched("its URL must not contain credentials.");
  const request = {
    method: "GET",
    origin,
    path: pathname + search,
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.5", ...headers },
    body: undefined,
  } as const;
  const { status, body } = await caller.send(request, { ...DOCUMENT_LIMITS, signal });
  if (status !== 200) throw notFetched(`its server answered with ${status}.`);
  return new TextDecoder().decode(body);
}

function expectUrl(url: string): URL {
  if (!URL.canParse(url)) throw notFetched("its URL is not valid.");
  return new URL(url);
}

function notFetched(reason: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The document cannot be fetched: ${reason}`);
}
