import { escapeUnprintable } from "@toolwire/protocol/internal";
import type { Finding, FindingGroup, Severity } from "./finding.ts";
import type { Host } from "./hosts.ts";

/** How many names a line has. */
const MOST_NAMED = 5;

const ORDER: readonly Severity[] = ["error", "warning", "info"];

/** Puts the findings of each rule together, the worst rules first: one line for each of them is enough for a log. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const byRule = new Map<string, Finding[]>();
  for (const finding of findings) {
    const known = byRule.get(finding.rule);
    if (known === undefined) byRule.set(finding.rule, [finding]);
    else known.push(finding);
  }
  const groups = [...byRule].map(([rule, found]): FindingGroup => {
    const severity = ORDER.find((each) => found.some((finding) => finding.severity === each)) ?? "info";
    const worst = found.find((finding) => finding.severity === severity)!;
    const hosts = new Set<Host>(found.flatMap((finding) => finding.hosts));
    const names = new Set(found.flatMap(({ name }) => (name === undefined ? [] : [name])));
    return { rule, severity, hosts: [...hosts], message: worst.message, names: [...names], count: found.length };
  });
  return ORDER.flatMap((severity) => groups.filter((group) => group.severity === severity));
}

/**
 * Writes findings for a terminal or a log: one line for each rule, with the names that it concerns. Names of strangers are printable
 * and short.
 */
export function describeFindings(findings: readonly Finding[]): string {
  return groupFindings(findings).map(describeGroup).join("\n");
}

/** Writes the findings of one rule as one line. */
export function describeGroup({ rule, severity, hosts, message, names }: FindingGroup): string {
  const refusing = hosts.length === 0 ? "" : ` (${hosts.join(", ")})`;
  const shown = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name.slice(0, 64)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const where = shown.length === 0 ? "" : ` ${shown.join(", ")}${more}:`;
  return escapeUnprintable(`${severity} ${rule}${refusing}:${where} ${message}`);
}
