import { isObject, UsageError, type Prompt, type Resource, type Tool } from "@toolwire/protocol/internal";
import type { Finding, Severity } from "./finding.ts";
import { DEFAULT_HOSTS, HOSTS, type Host } from "./hosts.ts";
import type { LintedList, LintedTool, OtherServer, Report, Rule } from "./rule.ts";
import { defaultRules } from "./rules/default-rules.ts";
import { measureJson } from "./walk/measure.ts";
import { listSchemaNodes } from "./walk/schema-nodes.ts";
import { listTexts } from "./walk/texts.ts";

/** The options of {@link lintTools}. None is required. */
export interface LintOptions {
  /** The hosts whose demands count. Default: all but `openai-strict`. */
  readonly hosts?: readonly Host[] | undefined;
  /** The rules to apply. Default: all of this package. Add yours: `[...defaultRules, mine]`. */
  readonly rules?: readonly Rule[] | undefined;
  /** By the id of a rule: how severe its findings are, or `"off"`. */
  readonly severities?: { readonly [rule: string]: Severity | "off" } | undefined;
  /** Prompts of the same server. */
  readonly prompts?: readonly Prompt[] | undefined;
  /** Resources of the same server. */
  readonly resources?: readonly Pick<Resource, "name" | "uri" | "description">[] | undefined;
  /** The tools of the servers beside it, for clashes of names. */
  readonly others?: readonly OtherServer[] | undefined;
  /** The name of the server as applications know it. */
  readonly server?: string | undefined;
  /** About how many tokens the whole list may cost. Default 20 000. */
  readonly maxTokens?: number | undefined;
  /** How many bytes the schema of one tool may have. Default 16 384. */
  readonly maxSchemaBytes?: number | undefined;
}

/** A list of strangers may have any number of mistakes: so many are reported of each rule and tool, and of each rule. */
const MAX_OF_TOOL = 10;
const MAX_OF_RULE = 500;

/** So many tools are looked at. */
const MAX_TOOLS = 10_000;

const SEVERITIES: readonly unknown[] = ["error", "warning", "info", "off"];

/**
 * Looks for what models' APIs and applications refuse in a list of tools, for texts that poison, for clashes, and for what the list
 * costs. Errors come first, then warnings; within them, the order of the rules and tools. It never throws because of a definition, and its
 * work is limited, whoever wrote the list.
 *
 * @throws UsageError if an option is wrong
 */
export function lintTools(tools: readonly Tool[], options: LintOptions = {}): readonly Finding[] {
  const { rules = defaultRules, severities = {} } = options;
  checkOptions(options, rules);
  const hosts = options.hosts ?? DEFAULT_HOSTS;
  const active = rules.filter(
    (rule) =>
      severities[rule.id] !== "off" && (rule.hosts.length === 0 || rule.hosts.some((host) => hosts.includes(host))),
  );
  const list = readList(tools, options);
  const findings = active.flatMap((rule) => applyRule(rule, list, hosts, severities[rule.id] as Severity | undefined));
  const order: readonly Severity[] = ["error", "warning", "info"];
  return order.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

function readList(tools: readonly Tool[], options: LintOptions): LintedList {
  const { prompts = [], resources = [], others = [], server, maxTokens = 20_000, maxSchemaBytes = 16_384 } = options;
  return {
    tools: tools.slice(0, MAX_TOOLS).filter(isObject).map(readTool),
    prompts: prompts.slice(0, MAX_TOOLS).filter(isObject).map(withName),
    resources: resources.slice(0, MAX_TOOLS).filter(isObject).map(withName),
    others: others.map((other) => ({
      ...other,
      tools: other.tools.slice(0, MAX_TOOLS).filter(isObject).map(withName),
    })),
    server,
    limits: { maxTokens, maxSchemaBytes },
  };
}

/** A definition of a stranger may have anything for a name. The rules about names say so of an empty one. */
function withName<Named extends { readonly name: string }>(named: Named): Named {
  return typeof named.name === "string" ? named : { ...named, name: "" };
}

function readTool(given: Tool): LintedTool {
  const tool = withName(given);
  const { inputSchema } = tool;
  const { nodes, isComplete } = isObject(inputSchema) ? listSchemaNodes(inputSchema) : { nodes: [], isComplete: true };
  return { tool, nodes, isComplete, bytes: measureJson(tool), inputBytes: measureJson(inputSchema) };
}

/** Applies one rule to everything, and takes its findings as far as there are not too many. */
function applyRule(
  rule: Rule,
  list: LintedList,
  hosts: readonly Host[],
  severity: Severity | undefined,
): readonly Finding[] {
  const findings: Finding[] = [];
  const take = (
    reports: Iterable<Report> | undefined,
    about: Pick<Finding, "kind" | "name">,
    counted: { left: number },
  ): void => {
    for (const report of reports ?? []) {
      const concerned = report.hosts ?? rule.hosts;
      const asked = concerned.filter((host) => hosts.includes(host));
      if (concerned.length > 0 && asked.length === 0) continue;
      if (counted.left-- <= 0 || findings.length >= MAX_OF_RULE) return;
      findings.push({
        rule: rule.id,
        severity: severity ?? report.severity ?? rule.severity,
        kind: report.kind ?? about.kind,
        name: "name" in report ? report.name : about.name,
        path: report.path ?? [],
        message: report.message,
        hosts: asked,
      });
    }
  };
  for (const each of list.tools) {
    if (findings.length >= MAX_OF_RULE) return findings;
    const about = { kind: "tool", name: each.tool.name } as const;
    const counted = { left: MAX_OF_TOOL };
    take(rule.tool?.(each, list), about, counted);
    if (rule.schema === undefined) continue;
    for (const node of each.nodes) {
      if (counted.left <= 0) break;
      take(inInput(rule.schema(node, each)), about, counted);
    }
  }
  if (rule.text !== undefined) {
    for (const text of listTexts(list)) take(rule.text(text), text, { left: MAX_OF_TOOL });
  }
  take(rule.list?.(list), { kind: "list", name: undefined }, { left: MAX_OF_RULE });
  return findings;
}

/** Paths of places in a schema begin there; those of findings begin at the tool. */
function* inInput(reports: Iterable<Report> | undefined): Generator<Report> {
  for (const report of reports ?? []) yield { ...report, path: ["inputSchema", ...(report.path ?? [])] };
}

function checkOptions({ hosts = [], severities = {} }: LintOptions, rules: readonly Rule[]): void {
  const unknownHost = hosts.find((host) => !HOSTS.includes(host));
  if (unknownHost !== undefined) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `There is no host ${JSON.stringify(unknownHost)}. There are: ${HOSTS.join(", ")}.`,
    );
  }
  const ids = new Set<string>();
  for (const { id } of rules) {
    if (ids.has(id)) throw new UsageError("DUPLICATE_NAME", `Two rules have the id ${JSON.stringify(id)}: rename one.`);
    ids.add(id);
  }
  for (const [id, severity] of Object.entries(severities)) {
    if (!ids.has(id) && !defaultRules.some((rule) => rule.id === id)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `\`severities\` names ${JSON.stringify(id)}, and there is no such rule.`,
      );
    }
    if (!SEVERITIES.includes(severity)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `\`severities[${JSON.stringify(id)}]\` must be "error", "warning", "info" or "off".`,
      );
    }
  }
}
