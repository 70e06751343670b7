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
}

interface RequirementsFile {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: Side }[];
}

/** Reads the list of requirements that the suite has frozen for a revision. */
export function readRequirements(suite: Suite, revision: string, side: Side): RequirementSet {
  const require = createRequire(suite.program);
  const yaml = require("yaml") as { parse(text: string): unknown };
  const file = join(suite.program, "..", "..", "requirements", `${revision}.yaml`);
  const requirements = yaml.parse(readFileSync(file, "utf8")) as RequirementsFile;
  return {
    revision,
    side,
    scored: requirements[side],
    unscored: requirements.not_scored.filter(({ leg }) => leg === side).map(({ scenario }) => scenario),
  };
}
