import type { WriteStream } from "node:tty";

/** Puts text in colour, or leaves it alone where colours are not wanted. */
export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly green: Brush;
  readonly yellow: Brush;
  readonly blue: Brush;
  readonly magenta: Brush;
  readonly cyan: Brush;
}

/** Gives a text its colour. */
export type Brush = (text: string) => string;

/** Paints if asked to. */
export function createPaint(isColourful: boolean): Paint {
  const brush =
    (start: number, end: number): Brush =>
    (text) =>
      isColourful ? `\u001B[${start}m${text}\u001B[${end}m` : text;
  return {
    bold: brush(1, 22),
    dim: brush(2, 22),
    red: brush(31, 39),
    green: brush(32, 39),
    yellow: brush(33, 39),
    blue: brush(34, 39),
    magenta: brush(35, 39),
    cyan: brush(36, 39),
  };
}

/** Whether to write in colour there: to a terminal that has colours, unless NO_COLOR (no-color.org) says no. */
export function wantsColour(output: WriteStream): boolean {
  return isTerminal(output) && (process.env["NO_COLOR"] ?? "") === "";
}

/** Whether the cursor can be moved there. */
export function isTerminal(output: WriteStream): boolean {
  return output.isTTY && process.env["TERM"] !== "dumb";
}
