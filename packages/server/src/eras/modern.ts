/** The modern era (2026-07-28): every request stands for itself, and says in its `_meta` who asks in which revision. */
import {
  eraOf,
  ErrorCode,
  MetaKey,
  REVISIONS,
  type ClientCapabilities,
  type DiscoverResult,
  type NotificationMessage,
  type RequestMessage,
  type Revision,
} from "@toolwire/protocol";
import { claimsModernEra, isObject, readProtocolVersion, readRequestMeta } from "@toolwire/protocol/internal";
import { findSingleText, SingleTextResult } from "../content/text-result.ts";
import { defined } from "../define/check-options.ts";
import { unsupportedRevision } from "../errors.ts";
import { ReplayedQuestions } from "../input/replay.ts";
import { createRoute, SHARED_HANDLERS } from "../methods/routes.ts";
import { listen } from "../methods/subscriptions.ts";
import type { Origin } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import type { Handler, Identity, Route } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Era } from "./era.ts";

/** The methods that only this era has. */
const MODERN_HANDLERS: { readonly [method: string]: Handler } = {
  "server/discover": discover,
  "subscriptions/listen": listen,
};

const ROUTES: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...SHARED_HANDLERS, ...MODERN_HANDLERS }).map(([method, handle]) => [
    method,
    createRoute(method, handle),
  ]),
);

/** The modern era. */
export const modernEra: Era = {
  name: "modern",
  revisions: REVISIONS.filter((revision) => eraOf(revision) === "modern"),
  hasParamHeaders: true,
  sendsRequests: false,
  claims,
  identify,
  routes: () => ROUTES,
  createQuestions: (request) => new ReplayedQuestions(request),
  finish,
  finishEarly: finish,
  translateNotification: (_revision, _method, params) => params,
  codeOf,
  capabilitiesOf,
};

/** Whether a method came with the modern era. */
export function isModernOnly(method: string): boolean {
  return Object.hasOwn(MODERN_HANDLERS, method);
}

/** A request is modern if its metadata or its transport says so; `initialize` opens another era unless its metadata does. */
function claims({ method, params }: RequestMessage, origin: Origin, { revisions }: Definition): boolean {
  if (claimsModernEra(params) || hasModernMeta(params)) return true;
  // Looked up only now, because over HTTP it is a header.
  const { protocolVersion } = origin;
  if (protocolVersion === undefined || method === "initialize") return false;
  const named = protocolVersion as Revision;
  return revisions.includes(named) && eraOf(named) === "modern";
}

/** Whether a request has metadata that only modern ones have, although it does not name its revision. */
function hasModernMeta(params: object | undefined): boolean {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  return isObject(meta) && (MetaKey.ClientCapabilities in meta || MetaKey.ClientInfo in meta);
}

/** The capabilities that the sender of a notification declares in its metadata. */
function capabilitiesOf({ params }: NotificationMessage): ClientCapabilities | undefined {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  const declared = isObject(meta) ? meta[MetaKey.ClientCapabilities] : undefined;
  return isObject(declared) ? (declared as ClientCapabilities) : undefined;
}

function identify(request: RequestMessage, origin: Origin, { revisions, extensions }: Definition): Identity {
  const { method, params = {} } = request;
  if (method === "initialize" && !claimsModernEra(params) && !hasModernMeta(params)) {
    // Clients of earlier revisions show this to their users (2026-07-28, "Versioning").
    const requested = String((params as { protocolVersion?: unknown }).protocolVersion);
    throw unsupportedRevision(requested, revisions, "It has no handshake: send each request with its `_meta`.");
  }
  const requested = readProtocolVersion(params);
  origin.checkRequest?.(request, requested, extensions?.nameParams.get(method));
  const revision = requested as Revision;
  if (!revisions.includes(revision)) throw unsupportedRevision(requested, revisions, "");
  if (eraOf(revision) !== "modern") {
    const modern = revisions.filter((spoken) => eraOf(spoken) === "modern");
    throw unsupportedRevision(requested, modern, `To speak ${revision}, open with \`initialize\`.`);
  }
  // The version is one of `revisions`, so this is an identity; a copy would cost every request an object.
  return readRequestMeta(params) as Identity;
}

/** The members that every modern result carries. */
interface ModernResult {
  resultType?: string;
  ttlMs?: number;
  cacheScope?: string;
  _meta?: object;
}

/** Adds what every modern result carries. Without a cache hint, nothing may be reused (caching page). */
function finish(result: ModernResult, { definition, route }: ServedRequest): object {
  const block = route.isToolCall ? findSingleText(result) : undefined;
  if (block !== undefined) return new SingleTextResult(block, definition.signature);
  result.resultType ??= "complete";
  if (route.isCacheable && result.resultType === "complete") {
    result.ttlMs ??= 0;
    result.cacheScope ??= "private";
  }
  const { resultMeta } = definition;
  if (resultMeta !== undefined) {
    result._meta = result._meta === undefined ? resultMeta : { ...resultMeta, ...result._meta };
  }
  return result;
}

/**
 * The modern era numbers a missing resource differently than earlier revisions, and reserves -32020 to -32099 for
 * errors of its own (base protocol, "Error Codes").
 */
function codeOf(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return ErrorCode.InvalidParams;
  const isUndefined = code < ErrorCode.UnsupportedProtocolVersion && code >= -32_099;
  return isUndefined ? ErrorCode.InternalError : code;
}

/** Answers `server/discover`. */
function discover({ definition, revision }: ServedRequest): DiscoverResult {
  const { info, revisions, instructions, cache, resultMeta } = definition;
  return defined<DiscoverResult>({
    supportedVersions: revisions,
    capabilities: definition.capabilitiesIn(revision),
    instructions,
    ttlMs: cache.discover?.ttlMs,
    cacheScope: cache.discover?.scope,
    // The full description of the server; other results contain its name and version only.
    _meta: resultMeta && { [MetaKey.ServerInfo]: info },
  });
}
