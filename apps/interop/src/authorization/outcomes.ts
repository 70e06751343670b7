import type { StepOutcome } from "../steps/outcomes.ts";

/** How the steps of a login ended, by their names. */
export type LoginOutcomes = { readonly [step: string]: Exclude<StepOutcome, "impossible"> };

/** A client and a server that logged in together, or did not. */
export interface LoginPair {
  /** The table that it belongs to. */
  readonly side: string;
  /** How the client gets its tokens. */
  readonly way: string;
  readonly outcomes: LoginOutcomes;
}

/** All steps, in the order of their columns. */
export const LOGIN_STEPS: readonly string[] = ["log in", "call", "renew", "more scopes"];
