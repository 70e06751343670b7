import type { Prompt, Resource, Tool } from "@toolwire/protocol";
import type { Path, Severity, SubjectKind } from "./finding.ts";
import type { Host } from "./hosts.ts";
import type { SchemaNode } from "./walk/schema-nodes.ts";

/** A tool that is looked at. */
export interface LintedTool {
  readonly tool: Tool;
  /** The places of schemas in its input, as far as they are read, the root first. Empty if there is no object at the root. */
  readonly nodes: readonly SchemaNode[];
  /** Whether all of the input was read. It is not if it is larger or deeper than anybody needs. */
  readonly isComplete: boolean;
  /** About how many bytes its listing takes as JSON. */
  readonly bytes: number;
  /** About how many bytes its input takes as JSON. */
  readonly inputBytes: number;
}

/** A text that a model or a person reads. */
export interface LintedText {
  readonly kind: SubjectKind;
  /** The name of the tool, prompt or resource. */
  readonly name: string | undefined;
  readonly path: Path;
  /** At most the first 65 536 characters. */
  readonly text: string;
}

/** The tools of another server that the same model sees. */
export interface OtherServer {
  /** The name by which the user knows it. */
  readonly server: string;
  readonly tools: readonly Pick<Tool, "name">[];
}

/** Everything that is looked at. */
export interface LintedList {
  readonly tools: readonly LintedTool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Pick<Resource, "name" | "uri" | "description">[];
  readonly others: readonly OtherServer[];
  /** The name of the server as an application knows it. Some put it in front of names. */
  readonly server: string | undefined;
  readonly limits: LintLimits;
}

/** Limits that are a matter of taste. */
export interface LintLimits {
  /** About how many tokens the whole list may cost. Default 20 000. */
  readonly maxTokens: number;
  /** How many bytes the schema of one tool may have. Default 16 384. */
  readonly maxSchemaBytes: number;
}

/** A finding as a rule says it. Members that are left out are those of the rule, and of what is looked at. */
export interface Report {
  readonly message: string;
  readonly path?: Path | undefined;
  readonly severity?: Severity | undefined;
  readonly hosts?: readonly Host[] | undefined;
  readonly kind?: SubjectKind | undefined;
  readonly name?: string | undefined;
}

/**
 * A rule: a plain object with functions for what it looks at. Each function returns what it finds, or nothing. None of them needs to
 * walk: they are called for each place, and the number of places is limited.
 */
export interface Rule {
  /** Lower case with hyphens. Rules of your own have a prefix: `acme/no-verbs`. */
  readonly id: string;
  readonly severity: Severity;
  /** What it is about, in one line. */
  readonly summary: string;
  /** The hosts that it concerns. Empty: all. It runs if one of them is among those that are asked for. */
  readonly hosts: readonly Host[];
  /** Where its fact comes from: pages, or threads that quote the refusal. */
  readonly sources: readonly string[];
  tool?(tool: LintedTool, list: LintedList): Iterable<Report> | undefined;
  /** Called for each place of a schema in the input of a tool. */
  schema?(node: SchemaNode, tool: LintedTool): Iterable<Report> | undefined;
  /** Called for each text for models or people: descriptions, titles, and those within schemas. */
  text?(text: LintedText): Iterable<Report> | undefined;
  list?(list: LintedList): Iterable<Report> | undefined;
}
