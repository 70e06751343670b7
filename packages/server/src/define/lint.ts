import type { Prompt, Resource, Tool } from "@toolwire/protocol";

/** What a server offers, as clients see it. */
export interface OfferedDefinitions {
  /** The name of the server. */
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  /** Resources with a URI of their own. */
  readonly resources: readonly Resource[];
}

/** What a linter has found. */
export interface LintDiagnostic {
  readonly level: "warning" | "info";
  readonly message: string;
}

/** Looks at what a server offers: `lint()` of `@toolwire/lint`, or a function of yours. */
export type DefinitionLinter = (offered: OfferedDefinitions) => readonly LintDiagnostic[];
