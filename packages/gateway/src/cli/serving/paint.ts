import { styleText } from "node:util";

/** Puts text in a colour or a style, or leaves it as it is. */
export type Paint = (colour: "bold" | "dim" | "red" | "green" | "yellow" | "cyan", text: string) => string;

/** Makes colours of ANSI escape sequences, or none. */
export function createPaint(isColourful: boolean): Paint {
  return (colour, text) => (isColourful ? styleText(colour, text, { validateStream: false }) : text);
}

/**
 * Whether to write in colour. NO_COLOR (no-color.org) says no and FORCE_COLOR says yes, wherever the text goes; otherwise terminals
 * get colours, unless they have none.
 */
export function wantsColour(isTerminal: boolean, env: { readonly [name: string]: string | undefined }): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}
