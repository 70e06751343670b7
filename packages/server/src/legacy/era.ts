import type { Revision } from "@toolwire/protocol";
import type { Translator } from "@toolwire/protocol/internal";
import type { Route } from "../methods/routes.ts";
import type { LegacySession, SessionLink } from "../binding.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";

/**
 * What it takes to answer clients of 2025-11-25 and earlier: their methods, and the translation of results into what
 * their revisions can express. Modern clients need none of it, so it is a part of its own, loaded with the first legacy
 * message. Bindings whose connections may become legacy ones bring it along, so that nothing has to wait there.
 */
export interface LegacyEra {
  /** All that a revision serves, by method. */
  routesOf(revision: Revision): ReadonlyMap<string, Route>;
  translatorFor(revision: Revision): Translator;
  openSession(link: SessionLink, subscriptions: Subscriptions): LegacySession;
}

let era: LegacyEra | undefined;
let loading: Promise<void> | undefined;

/** The legacy era, if it is here already. */
export function findLegacyEra(): LegacyEra | undefined {
  return era;
}

/** Brings the legacy era along. */
export function bringLegacyEra(brought: LegacyEra): void {
  era = brought;
}

/** Loads the legacy era, once for everybody who waits for it. */
export function loadLegacyEra(): Promise<void> {
  return (loading ??= import("../parts/later.ts").then(({ legacyEra }) => bringLegacyEra(legacyEra)));
}
