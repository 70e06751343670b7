/** Requests that change nothing, or nothing more when they are repeated, so that sending them again does no harm. */
export const REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "ping",
]);
