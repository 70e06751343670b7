import type { NotificationMethod, RequestMethod } from "../model/methods.ts";
import { ALWAYS, covers, LEGACY, type Lifespan, type Revision, SINCE_2026_07 } from "./revision.ts";

/** The direction of a message. */
export type Direction = "client-to-server" | "server-to-client";

/**
 * The revisions in which each method exists, by direction. The requests of a modern server to a client, such as
 * `elicitation/create`, are parts of a result; as messages they end with the legacy era.
 */
const METHODS: {
  readonly [D in Direction]: { readonly [M in RequestMethod | NotificationMethod]?: Lifespan };
} = {
  "client-to-server": {
    "server/discover": SINCE_2026_07,
    "tools/list": ALWAYS,
    "tools/call": ALWAYS,
    "resources/list": ALWAYS,
    "resources/templates/list": ALWAYS,
    "resources/read": ALWAYS,
    "prompts/list": ALWAYS,
    "prompts/get": ALWAYS,
    "completion/complete": ALWAYS,
    "subscriptions/listen": SINCE_2026_07,
    initialize: LEGACY,
    ping: LEGACY,
    "logging/setLevel": LEGACY,
    "resources/subscribe": LEGACY,
    "resources/unsubscribe": LEGACY,
    "notifications/cancelled": ALWAYS,
    "notifications/initialized": LEGACY,
    "notifications/progress": LEGACY,
    "notifications/roots/list_changed": LEGACY,
  },
  "server-to-client": {
    ping: LEGACY,
    "elicitation/create": { since: "2025-06-18", until: "2025-11-25" },
    "sampling/createMessage": LEGACY,
    "roots/list": LEGACY,
    "notifications/cancelled": ALWAYS,
    "notifications/progress": ALWAYS,
    "notifications/message": ALWAYS,
    "notifications/tools/list_changed": ALWAYS,
    "notifications/prompts/list_changed": ALWAYS,
    "notifications/resources/list_changed": ALWAYS,
    "notifications/resources/updated": ALWAYS,
    "notifications/subscriptions/acknowledged": SINCE_2026_07,
    "notifications/elicitation/complete": { since: "2025-11-25", until: "2025-11-25" },
  },
};

/** Whether a revision has this method, request or notification, in this direction. */
export function servesMethod(revision: Revision, method: string, direction: Direction): boolean {
  const methods: { readonly [method: string]: Lifespan } = METHODS[direction];
  // Methods come from the peer: `constructor` must not find one of the prototype.
  return Object.hasOwn(methods, method) && covers(methods[method] ?? ALWAYS, revision);
}
