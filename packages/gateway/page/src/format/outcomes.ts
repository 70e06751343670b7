import type { Outcome } from "../../../src/log/call-record.ts";

/** How an outcome is called, and the sign that tells it apart without colour. */
export const OUTCOME_NAMES: { readonly [O in Outcome]: { readonly name: string; readonly sign: string } } = {
  ok: { name: "OK", sign: "✓" },
  "tool-error": { name: "Tool error", sign: "!" },
  "invalid-arguments": { name: "Invalid arguments", sign: "≠" },
  "unknown-tool": { name: "Unknown tool", sign: "?" },
  denied: { name: "Denied", sign: "⊘" },
  "rate-limited": { name: "Rate limited", sign: "≫" },
  "timed-out": { name: "Timed out", sign: "◷" },
  cancelled: { name: "Cancelled", sign: "–" },
  error: { name: "Internal error", sign: "×" },
};

/** All outcomes, in the order in which charts stack them: those that are fine at the bottom. */
export const OUTCOME_ORDER: readonly Outcome[] = [
  "ok",
  "cancelled",
  "invalid-arguments",
  "unknown-tool",
  "rate-limited",
  "denied",
  "timed-out",
  "tool-error",
  "error",
];
