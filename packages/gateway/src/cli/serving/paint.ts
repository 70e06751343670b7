/** Puts text in colour, or leaves it as it is. */
export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly green: Brush;
  readonly yellow: Brush;
  readonly cyan: Brush;
}

type Brush = (text: string) => string;

/** Makes colours of ANSI escape sequences, or none. */
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
    cyan: brush(36, 39),
  };
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
