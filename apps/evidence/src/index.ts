/**
 * Code that the conformance, interoperability and runtime runs share: taps that record a wire without touching it, the check of
 * every message against the published schemas, programs that are fetched when they are needed, and the tables in the
 * documents.
 *
 * @packageDocumentation
 */
import { fileURLToPath } from "node:url";

export { readRecordings, saveRecording, type Recording } from "./wire/recording.ts";
export { tapPort, type PortTap } from "./wire/tap-port.ts";
export { decodeMessages, type SentMessage, type Side } from "./wire/decode/messages.ts";
export { readSchemaSets, type SchemaSet } from "./wire/schema/schema-sets.ts";
export { checkMessages, type WireReport } from "./wire/check-messages.ts";
export { FetchFailure } from "./fetch/package-managers.ts";
export { fetchLocked, type FetchedPackage, type FetchedPackages, type FetchRequest } from "./fetch/fetch-locked.ts";
export { canFindLeftovers, findLeftovers, killLeftovers, type Leftover } from "./processes/leftovers.ts";
export { runGroup, startGroup, untilFinished, type Finished, type ProcessGroup } from "./processes/process-group.ts";
export { findNode, type FoundNode } from "./fetch/find-node.ts";
export { markdownTable } from "./tables/markdown-table.ts";
export { publishTable, type PublishedTable } from "./tables/publish-table.ts";

/** The program to put in front of a stdio server: `node STDIO_TAP DIRECTORY COMMAND [ARGUMENT...]`. */
export const STDIO_TAP: string = fileURLToPath(new URL("wire/tap-stdio.js", import.meta.url));
