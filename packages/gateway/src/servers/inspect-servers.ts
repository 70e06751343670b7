import { UsageError } from "@toolwire/server";
import { PlacedError } from "../config/placed-error.ts";
import type { ConfigProblem } from "../config/problem.ts";
import type { ReferenceSources } from "../config/references.ts";
import type { SoundParts } from "../config/check/sound-parts.ts";
import type { Storage } from "../storage/storage.ts";
import { buildContents } from "./build-contents.ts";
import { HttpCallers } from "./http-callers.ts";
import type { ServerContents } from "./server-contents.ts";

/** Servers that were built to see what they offer, without serving them. */
export interface Inspection {
  /** By slug. Servers that cannot be built are missing. */
  readonly contents: ReadonlyMap<string, ServerContents>;
  readonly problems: readonly ConfigProblem[];
  /** Closes the connections over which documents were fetched. */
  close(): Promise<void>;
}

/** Builds all servers: reads their documents, and finds what shows only then. One that cannot be built does not hide others. */
export async function inspectServers(
  { config, partial }: SoundParts,
  sources: ReferenceSources,
  storage: Pick<Storage, "secrets" | "redactor">,
): Promise<Inspection> {
  const callers = new HttpCallers(() => undefined);
  const host = { sources, storage, callers, network: config.network, partial };
  const contents = new Map<string, ServerContents>();
  const problems: ConfigProblem[] = [];
  for (const [slug, server] of Object.entries(config.servers ?? {})) {
    try {
      const built = await buildContents(slug, server, true, host);
      contents.set(slug, built);
      problems.push(...built.problems);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { path, reason } =
        error instanceof PlacedError ? error : { path: ["servers", slug], reason: error.message };
      problems.push({ severity: "error", path, message: reason });
    }
  }
  return { contents, problems, close: () => callers.close() };
}
