import type { Tool } from "@toolwire/protocol";
import { headersForArguments, readHeaderAnnotations } from "@toolwire/protocol/internal";
import type { Mirror } from "./catalog.ts";

/**
 * Finds the arguments of a tool that headers have to repeat (2026-07-28, "Custom Headers from Tool Parameters"). Throws a
 * `UsageError` if its annotations break the rules. Few tools have any, so this is loaded with the first that does.
 */
export function readMirror({ inputSchema }: Tool): Mirror | undefined {
  const annotations = readHeaderAnnotations(inputSchema);
  return annotations.length === 0 ? undefined : (args) => headersForArguments(annotations, args);
}
