/** Loaded by the HTTP transport with the first legacy server. */
export { LegacySession } from "../legacy/http/session.ts";
