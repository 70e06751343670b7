/** The few facts of the protocol that the load generators need; they know nothing of any SDK. */

/** The revision of all modern scenarios. */
export const MODERN_REVISION = "2026-07-28";

/** The revision of all legacy scenarios: the newest that every contender speaks. */
export const LEGACY_REVISION = "2025-06-18";

/** Where a modern request carries what `initialize` used to say. */
export const MODERN_META_KEYS = {
  revision: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

/** The parameters of `initialize`. */
export const INITIALIZE_PARAMS = {
  protocolVersion: LEGACY_REVISION,
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
} as const;
