import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Suite } from "./fetch-suite.ts";

/** Which half of the protocol is judged. */
export type Side = "server" | "client";

/** The requirements of the suite for one side and one revision. */
export interface RequirementSet {
  readonly revision: string;
  readonly side: Side;
  /** Scenarios that conformance is defined by. */
  readonly scored: readonly string[];
  /** Further scenarios: extensions, and scenarios that came later. */
  readonly unscored: readonly string[];
  /** Scenarios that are in no requirements, and that the suite runs only by name. */
  readonly named: readonly string[];
}

/** All scenarios of a set. */
export function scenariosOf({ scored, unscored, named }: RequirementSet): readonly string[] {
  return [...scored, ...unscored, ...named];
}

/**
 * The scenarios that are in no requirements, by revision: those of skills, an extension for 2026-07-28, and those that are about
 * 2025-03-26, which has no requirements.
 */
const NAMED: { readonly [revision: string]: { readonly [S in Side]?: readonly string[] } } = {
  "2025-03-26": {
    server: ["server-session-lifecycle"],
    client: ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"],
  },
  "2026-07-28": {
    server: ["sep-2640-skills-enumeration", "sep-2640-skills-directory", "sep-2640-skills-manifest"],
    client: [
      "sep-2640-client-no-prefetch",
      "sep-2640-client-verify-digest",
      "sep-2640-client-verify-size",
      "sep-2640-client-verify-frontmatter",
    ],
  },
};

interface RequirementsFile {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: Side }[];
}

/** Reads the list of requirements that the suite has frozen for a revision, if there is one. */
export function readRequirements(suite: Suite, revision: string, side: Side): RequirementSet {
  const named = NAMED[revision]?.[side] ?? [];
  if (!hasRequirements(revision)) return { revision, side, scored: [], unscored: [], named };
  const require = createRequire(suite.program);
  const yaml = require("yaml") as { parse(text: string): unknown };
  const file = join(suite.program, "..", "..", "requirements", `${revision}.yaml`);
  const requirements = yaml.parse(readFileSync(file, "utf8")) as RequirementsFile;
  return {
    revision,
    side,
    scored: requirements[side],
    unscored: requirements.not_scored.filter(({ leg }) => leg === side).map(({ scenario }) => scenario),
    named,
  };
}

/** Whether the suite has requirements of a revision. */
export function hasRequirements(revision: string): boolean {
  return revision >= "2025-11-25";
}
