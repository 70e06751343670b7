import type { WriteStream } from "node:tty";
import { styleText } from "node:util";

/** The colours and styles in use. */
export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "magenta" | "cyan";

/** Puts text in a colour, or leaves it alone where colours are not wanted. */
export type Paint = (colour: Colour, text: string) => string;

/** Paints if asked to. */
export function createPaint(isColourful: boolean): Paint {
  return (colour, text) => (isColourful ? styleText(colour, text, { validateStream: false }) : text);
}

/** Whether to write in colour there: to a terminal that has colours, unless NO_COLOR (no-color.org) says no. */
export function wantsColour(output: WriteStream): boolean {
  return isTerminal(output) && (process.env["NO_COLOR"] ?? "") === "";
}

/** Whether the cursor can be moved there. */
export function isTerminal(output: WriteStream): boolean {
  return output.isTTY && process.env["TERM"] !== "dumb";
}
