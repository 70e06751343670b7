import { describeGroup, type FindingGroup, groupFindings, lintTools, schemaRules } from "@toolwire/lint";
import { type ConfigProblem, describeProblem } from "../config/problem.ts";
import type { GatewayServer } from "../gateway.ts";
import { describeLeftOut, type LeftOut } from "../servers/left-out.ts";
import type { ServerContents } from "../servers/server-contents.ts";
import type { Console } from "./command.ts";
import { plain } from "./table.ts";

/** How many tools are listed without being asked for all. */
const MOST_LISTED = 50;

/** How many rewritten tools are named without being asked for all. */
const MOST_REWRITTEN = 10;

/** A server as `check` shows it, and as `--json` has it. */
export interface ServerSummary {
  readonly slug: string;
  readonly status: string;
  readonly tools: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly tokens: number;
    /** What `schemas: portable` has changed in its input. */
    readonly rewritten: readonly string[];
  }[];
  /** What models' APIs and applications refuse in its tools, and what deceives: one for each rule. */
  readonly findings: readonly FindingGroup[];
  /** Whether `schemas: portable` would rewrite what APIs refuse. */
  readonly couldBePortable: boolean;
  readonly upstreams: readonly string[];
  /** Operations of its document that are no tools, by reason. */
  readonly leftOut: readonly LeftOut[];
}

/** Gathers what is shown of a server. */
export function describeServer(
  { slug, status, tools, upstreams, config }: GatewayServer,
  { leftOut }: ServerContents,
): ServerSummary {
  // A model sees three tools of a server in search mode, and none of a draft.
  const listed = tools.filter((tool) => tool.status === "active").map(({ listing }) => listing);
  const findings = groupFindings(
    lintTools(listed, {
      server: slug,
      ...(config.mode === "search" && { severities: { "token-budget": "off", "tool-count": "off" } }),
    }),
  );
  return {
    slug,
    status,
    tools: tools.map(({ listing, rewritten, bytes, tokens }) => ({ name: listing.name, bytes, tokens, rewritten })),
    findings,
    couldBePortable:
      config.schemas !== "portable" &&
      findings.some(({ rule, severity }) => severity === "error" && schemaRules.some(({ id }) => id === rule)),
    upstreams: upstreams.map(({ name }) => name),
    leftOut,
  };
}

/** How many problems are errors, and how many are warnings. */
export function countProblems(problems: readonly ConfigProblem[]): { errors: number; warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

/** Writes problems to stderr: errors, then warnings, then how many there are. */
export function tellProblems(problems: readonly ConfigProblem[], console: Console): void {
  for (const wanted of ["error", "warning"] as const) {
    for (const problem of problems) if (problem.severity === wanted) console.tell(plain(describeProblem(problem)));
  }
  const { errors, warnings } = countProblems(problems);
  if (problems.length > 0) console.tell(`${count(errors, "error")}, ${count(warnings, "warning")}`);
}

/** Writes a server with its tools. What its author has left out is counted; what is left out for another reason is named. */
export function writeServer(server: ServerSummary, isVerbose: boolean): string {
  const { slug, status, tools, upstreams, leftOut } = server;
  const bytes = tools.reduce((sum, each) => sum + each.bytes, 0);
  const tokens = tools.reduce((sum, each) => sum + each.tokens, 0);
  const behind = upstreams.length === 0 ? "" : `, upstreams: ${upstreams.join(", ")}`;
  const listed = isVerbose ? tools : tools.slice(0, MOST_LISTED);
  const lines = [
    `${slug} (${status}): ${count(tools.length, "tool")}, ${bytes} bytes, about ${tokens} tokens${behind}`,
    ...listed.map((each) => `  ${each.name}  ${each.bytes} bytes, about ${each.tokens} tokens`),
  ];
  if (tools.length > listed.length) lines.push(`  and ${tools.length - listed.length} more; --verbose lists all`);
  const chosen = leftOut.filter(({ kind }) => kind === "choice").flatMap(({ operations }) => operations);
  if (chosen.length > 0) {
    lines.push(`  ${count(chosen.length, "operation")} left out by \`include\`, \`exclude\` or the document itself`);
    if (isVerbose) lines.push(...chosen.map((operation) => `    ${operation}`));
  }
  for (const group of leftOut.filter(({ kind }) => kind !== "choice")) {
    lines.push(`  ${group.kind === "problem" ? "! " : ""}${describeLeftOut(group)}`);
    if (isVerbose) lines.push(...group.operations.map((operation) => `    ${operation}`));
  }
  for (const finding of server.findings) {
    if (isVerbose || finding.severity !== "info") lines.push(`  lint: ${describeGroup(finding)}`);
  }
  if (server.couldBePortable) {
    lines.push("  `schemas: portable` on this server rewrites for callers what APIs refuse in schemas");
  }
  lines.push(...writeRewritten(server, isVerbose));
  return lines.map(plain).join("\n");
}

/** Names the tools that were rewritten, with what has changed if everything is to be said. */
function writeRewritten({ tools }: ServerSummary, isVerbose: boolean): string[] {
  const rewritten = tools.filter((each) => each.rewritten.length > 0);
  if (rewritten.length === 0) return [];
  const listed = isVerbose ? rewritten : rewritten.slice(0, MOST_REWRITTEN);
  const more = rewritten.length > listed.length ? ` and ${rewritten.length - listed.length} more` : "";
  const names = listed.map(({ name }) => name).join(", ");
  return [
    `  ${count(rewritten.length, "tool")} rewritten for all models: ${names}${more}`,
    ...(isVerbose ? rewritten.flatMap((each) => each.rewritten.map((change) => `    ${each.name}: ${change}`)) : []),
  ];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
