import type { Prompt, Resource, Tool } from "@toolwire/protocol";
import { describeGroup, groupFindings } from "./describe-findings.ts";
import type { Severity } from "./finding.ts";
import { lintTools, type LintOptions } from "./lint-tools.ts";

/** The options of {@link lint}. */
export interface ServerLintOptions extends Omit<LintOptions, "prompts" | "resources" | "server"> {
  /** The least severe findings that are reported. Default `"warning"`. */
  readonly from?: Severity | undefined;
}

/** What a server offers, as clients see it. */
interface Offered {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Pick<Resource, "name" | "uri" | "description">[];
}

/** Looks at what a server offers, and says what it finds: the option `lint` of `createServer`. */
export type ServerLint = (
  offered: Offered,
) => readonly { readonly level: "warning" | "info"; readonly message: string }[];

const ORDER: readonly Severity[] = ["error", "warning", "info"];

/**
 * Looks at the definitions of a server when it starts, and reports one diagnostic for each rule that finds something:
 * `createServer({ lint: lint() })`.
 */
export function lint(options: ServerLintOptions = {}): ServerLint {
  const { from = "warning", ...rest } = options;
  // Refuses wrong options where they are written.
  lintTools([], rest);
  const reported = new Set(ORDER.slice(0, ORDER.indexOf(from) + 1));
  return ({ tools, prompts, resources, name }) => {
    const findings = lintTools(tools, { ...rest, prompts, resources, server: name });
    return groupFindings(findings.filter(({ severity }) => reported.has(severity))).map((group) => ({
      // An error of a definition is a warning of the server, which runs all the same.
      level: group.severity === "info" ? "info" : "warning",
      message: `lint: ${describeGroup(group)}`,
    }));
  };
}
