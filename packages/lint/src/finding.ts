import type { Host } from "./hosts.ts";

/**
 * `error`: some host refuses the tool, often the whole session with it, or a text tries to deceive. `warning`: it costs calls,
 * context or trust. `info`: it could be better.
 */
export type Severity = "error" | "warning" | "info";

/** What a finding is about. */
export type SubjectKind = "tool" | "prompt" | "resource" | "server" | "list";

/** The members that lead to a place in a definition. */
export type Path = readonly (string | number)[];

/** Something that a rule has found. */
export interface Finding {
  /** The id of the rule. */
  readonly rule: string;
  readonly severity: Severity;
  readonly kind: SubjectKind;
  /** The name of the tool, prompt or resource. `undefined` if it is about all of them. */
  readonly name: string | undefined;
  /** Where in the definition, such as `["inputSchema", "properties", "id", "type"]`. */
  readonly path: Path;
  /** What is wrong, and what to do. It may contain words of the definition: quoted, cut and printable. */
  readonly message: string;
  /** The hosts that it concerns. Empty: all of them. */
  readonly hosts: readonly Host[];
}

/** Findings of one rule. */
export interface FindingGroup {
  readonly rule: string;
  /** The worst among them. */
  readonly severity: Severity;
  readonly hosts: readonly Host[];
  /** The message of the first one. */
  readonly message: string;
  /** The names of tools, prompts and resources, each once. */
  readonly names: readonly string[];
  readonly count: number;
}
