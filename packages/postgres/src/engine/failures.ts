import { ClusterError } from "@toolwire/server/cluster";

/** Five characters of `0-9 A-Z` with which Postgres says what has failed. */
export function readSqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Other statements got in the way: nothing was done, and the same statement may succeed now. */
export function isConflict(state: string | undefined): boolean {
  return state === "40001" || state === "40P01";
}

/** Whether Postgres works, and only refuses this statement. */
export function isRefusal(state: string | undefined): boolean {
  return state !== undefined && /^(?:22|23|54)/.test(state);
}

/** Postgres has not done what a statement asked for. */
export class StatementError extends ClusterError {
  /** What has failed, if Postgres has said so. */
  readonly state: string | undefined;

  /**
   * It has neither a cause nor the words of Postgres where those could show values: both clients add the statement and its
   * parameters to their errors.
   */
  constructor(error: unknown) {
    const state = readSqlState(error);
    super("UNAVAILABLE", state === undefined ? describeLoss(error) : describeFailure(state, error));
    this.state = state;
  }
}

function describeLoss(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `Postgres cannot be reached${code}.`;
}

function describeFailure(state: string, error: unknown): string {
  // These name roles, databases, tables and settings, and no values.
  const words = /^(?:08|28|3D|3F|42|53|57)/.test(state) && error instanceof Error ? `: ${error.message}` : "";
  return `Postgres has failed with ${state}${words}.`;
}
