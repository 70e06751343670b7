/**
 * The legacy era (2024-11-05 to 2025-11-25): an `initialize` handshake opens a session, and servers may send requests. The
 * one module of this folder that the rest of the server imports.
 */
import { eraOf, REVISIONS, type RequestMessage, type Revision } from "@toolwire/protocol";
import { servesMethod, translatorFor } from "@toolwire/protocol/internal";
import { findSingleText, SingleTextResult, prepareSignature } from "../content/text-result.ts";
import type { Era } from "../eras/era.ts";
import { isModernOnly } from "../eras/modern.ts";
import { unsupportedRevision } from "../errors.ts";
import { createRoute, SHARED_HANDLERS } from "../methods/routes.ts";
import type { Origin } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import type { Handler, Identity, Route } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { PushedQuestions } from "./ask-client.ts";
import { initialize, ping, setLevel, subscribe, unsubscribe } from "./methods.ts";
import { LegacyIdentity, LegacySession } from "./session.ts";

/** The methods that only this era has. */
const LEGACY_HANDLERS: { readonly [method: string]: Handler } = {
  initialize,
  ping,
  "logging/setLevel": setLevel,
  "resources/subscribe": subscribe,
  "resources/unsubscribe": unsubscribe,
};

const LEGACY_REVISIONS = REVISIONS.filter((revision) => eraOf(revision) === "legacy");

const ROUTES: ReadonlyMap<Revision, ReadonlyMap<string, Route>> = new Map(
  LEGACY_REVISIONS.map((revision) => [revision, createRoutes(revision)]),
);

const NO_ROUTES: ReadonlyMap<string, Route> = new Map();

/** Legacy results carry nothing beyond their content. */
const UNSIGNED = prepareSignature();

/** The legacy era. */
export const legacyEra: Era = {
  name: "legacy",
  revisions: LEGACY_REVISIONS,
  hasParamHeaders: false,
  sendsRequests: true,
  claims,
  identify,
  routes: (revision) => ROUTES.get(revision) ?? NO_ROUTES,
  createQuestions: (request) => new PushedQuestions(request),
  finish,
  translateNotification(revision, method, params) {
    const translate = translatorFor(revision).notification(method);
    return translate === undefined ? params : translate(params as never);
  },
  finishEarly: (result) => result,
  codeOf: (code) => code,
  capabilitiesOf: (_message, { state }) =>
    state instanceof LegacySession && state.revision !== undefined ? state.clientCapabilities : undefined,
  hear({ method }, { state }) {
    if (method === "notifications/initialized" && state instanceof LegacySession) state.start();
  },
  openConnection: (link, definition) => new LegacySession(link, definition),
};

/** Takes what belongs to a session, handshakes, and plain requests: those without a handshake and without metadata. */
function claims({ method }: RequestMessage, { state }: Origin, { revisions }: Definition): boolean {
  if (state instanceof LegacySession && state.revision !== undefined) return true;
  if (!revisions.some((revision) => eraOf(revision) === "legacy")) return false;
  // A modern method without metadata is refused by the modern era, which says what is missing.
  return !isModernOnly(method) || !revisions.some((revision) => eraOf(revision) === "modern");
}

function identify(request: RequestMessage, origin: Origin, { revisions }: Definition): Identity {
  const { state } = origin;
  const session = state instanceof LegacySession ? state : undefined;
  if (request.method === "initialize") {
    return new LegacyIdentity(request, negotiate(revisions, request.params), session);
  }
  if (session?.revision !== undefined) return new LegacyIdentity(request, session.revision, session);
  return new LegacyIdentity(request, plainRevision(revisions, origin.protocolVersion), undefined);
}

/** The revision that a handshake agrees on: the client's if the server speaks it, or the newest that has a handshake. */
function negotiate(revisions: readonly Revision[], params: object | undefined): Revision {
  const requested = String((params as { protocolVersion?: unknown } | undefined)?.protocolVersion);
  const legacy = revisions.filter((revision) => eraOf(revision) === "legacy");
  return legacy.find((revision) => revision === requested) ?? (legacy[0] as Revision);
}

/** The revision of a plain request: the one that its transport names, or the newest with a handshake. */
function plainRevision(revisions: readonly Revision[], named: string | undefined): Revision {
  const legacy = revisions.filter((revision) => eraOf(revision) === "legacy");
  if (named === undefined) return legacy[0] as Revision;
  const revision = legacy.find((spoken) => spoken === named);
  if (revision === undefined) throw unsupportedRevision(named, revisions, "");
  return revision;
}

function createRoutes(revision: Revision): ReadonlyMap<string, Route> {
  const translator = translatorFor(revision);
  const handlers = Object.entries({ ...SHARED_HANDLERS, ...LEGACY_HANDLERS });
  const served = handlers.filter(([method]) => servesMethod(revision, method, "client-to-server"));
  return new Map(
    served.map(([method, handle]) => [
      method,
      createRoute(method, handle, translator.result(method) as Route["translate"]),
    ]),
  );
}

/** Translates a result. A single text is the same in every revision. */
function finish(result: object, { route }: ServedRequest): object {
  const block = route.isToolCall ? findSingleText(result) : undefined;
  if (block !== undefined) return new SingleTextResult(block, UNSIGNED);
  return route.translate === undefined ? result : route.translate(result);
}
