/**
 * Rules over the tools of MCP servers: schemas that the APIs of models refuse, texts that poison, clashes of names, and what a list
 * costs; and schemas rewritten so that all of them take them.
 *
 * @packageDocumentation
 */
export { describeFindings, describeGroup, groupFindings } from "./describe-findings.ts";
export type { Finding, FindingGroup, Path, Severity, SubjectKind } from "./finding.ts";
export { DEFAULT_HOSTS, HOSTS, type Host } from "./hosts.ts";
export { lintTools, type LintOptions } from "./lint-tools.ts";
export { lint, type ServerLint, type ServerLintOptions } from "./server-lint.ts";
export { toPortable, type PortableOptions, type PortableSchema, type SchemaChange } from "./portable/to-portable.ts";
export type { LintedList, LintedText, LintedTool, LintLimits, OtherServer, Report, Rule } from "./rule.ts";
export {
  budgetRules,
  defaultRules,
  descriptionRules,
  nameRules,
  poisonRules,
  schemaRules,
} from "./rules/default-rules.ts";
export { estimateTokens } from "./walk/measure.ts";
export type { SchemaNode } from "./walk/schema-nodes.ts";
