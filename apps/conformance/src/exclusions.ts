import type { Side } from "./suite/requirements.ts";

/** Something that is not asked of this project, and why. */
export interface Exclusion {
  readonly side: Side;
  readonly scenario: RegExp;
  /** The names of single checks; absent: the whole scenario. */
  readonly checks?: readonly string[];
  readonly reason: string;
}

/** All there is. An entry that excludes nothing any more is reported as a problem. */
export const EXCLUSIONS: readonly Exclusion[] = [
  {
    side: "server",
    scenario: /^tasks-status-notifications$/,
    reason: "its one check is skipped by the suite for every server; our own tests cover `notifications/tasks`",
  },
  {
    side: "client",
    scenario: /^http-standard-headers$/,
    checks: ["ClientMcpMethodHeader_initialize", "ClientMcpMethodHeader_notifications_initialized"],
    reason: "skipped by the suite for every client: 2026-07-28 has neither message",
  },
];

/** Whether a whole scenario is left out. */
export function isLeftOut(side: Side, scenario: string): boolean {
  return EXCLUSIONS.some(
    (exclusion) => exclusion.side === side && exclusion.checks === undefined && exclusion.scenario.test(scenario),
  );
}
