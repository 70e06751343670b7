import type { Revision } from "@toolwire/protocol";
import { servesMethod, translatorFor } from "@toolwire/protocol/internal";
import { SHARED_HANDLERS, type Handler, type Route } from "../methods/routes.ts";
import type { LegacyEra } from "./era.ts";
import { initialize, ping, setLevel, subscribe, unsubscribe } from "./methods.ts";
import { Session } from "./session.ts";

/** Beside those that both eras have. */
const HANDLERS: { readonly [method: string]: Handler } = {
  initialize,
  ping,
  "logging/setLevel": setLevel,
  "resources/subscribe": subscribe,
  "resources/unsubscribe": unsubscribe,
};

/** How legacy clients are answered. */
export const legacyEra: LegacyEra = {
  routesOf,
  translatorFor,
  openSession: (link, subscriptions) => new Session(link, subscriptions),
};

const routes = new Map<Revision, ReadonlyMap<string, Route>>();

function routesOf(revision: Revision): ReadonlyMap<string, Route> {
  let known = routes.get(revision);
  if (known === undefined) routes.set(revision, (known = createRoutes(revision)));
  return known;
}

function createRoutes(revision: Revision): ReadonlyMap<string, Route> {
  const translator = translatorFor(revision);
  const handlers = Object.entries({ ...SHARED_HANDLERS, ...HANDLERS });
  const served = handlers.filter(([method]) => servesMethod(revision, method, "client-to-server"));
  return new Map(
    served.map(([method, handle]) => [method, { handle, translate: translator.result(method) as Route["translate"] }]),
  );
}
