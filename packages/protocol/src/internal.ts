/**
 * Parts that `@toolwire/server` and `@toolwire/client` share and applications do not need: the engine, the checks of
 * parameters, translation into older revisions, tables for requests in flight. Not covered by semantic versioning: any
 * release may change it.
 *
 * @packageDocumentation
 */
export * from "./engine/index.ts";
export * from "./header-values/index.ts";
export * from "./params/index.ts";
export * from "./revisions/index.ts";
export { Heartbeat, type Beating } from "./channels/heartbeat.ts";
export { resolveLimit, resolveMilliseconds } from "./channels/limits.ts";
export { Turns } from "./channels/turns.ts";
export { attachWsSocket, type NetworkSocket, type WsConnection, type WsSocket } from "./channels/ws-socket.ts";
export { Noise } from "./framing/noise.ts";
export { IdTable } from "./in-flight/id-table.ts";
export { Roster, type Rostered } from "./in-flight/roster.ts";
export { encodeParts, PreparedJson, SelfEncoding, unwrapMessage, type EncodedParts } from "./messages/encode.ts";
export { isId } from "./messages/parse.ts";
export { explainUnsent } from "./messages/unencodable.ts";
export { isObject } from "./model/json.ts";
