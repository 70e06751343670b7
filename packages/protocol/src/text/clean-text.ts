import { removeInvisible } from "./invisible-text.ts";

/** Terminal escape sequences: CSI, OSC up to its end, and the two-character ones (ECMA-48). */
const ESCAPES = /* @__PURE__ */ new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])|\u009b[0-?]*[ -/]*[@-~]`,
  "g",
);

/** Control characters except tab and line breaks. */
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;

/**
 * Removes characters from a text that could deceive people or models: terminal escapes, control characters, reordering marks and
 * invisible characters. Joiners and selectors stay where the letters and emoji beside them need them.
 */
export function cleanText(text: string): string {
  return removeInvisible(text.replaceAll(ESCAPES, "").replaceAll(CONTROLS, ""));
}
