/** How often the picture is drawn anew, in milliseconds. */
const FRAME_MS = 50;

/** Where a region is drawn. */
export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

/** A few lines at the end of the terminal that are drawn again and again, in place. */
export class LiveRegion {
  readonly #canvas: Canvas;
  readonly #draw: () => readonly string[];
  readonly #timer: NodeJS.Timeout;
  #height = 0;

  constructor(canvas: Canvas, draw: () => readonly string[]) {
    this.#canvas = canvas;
    this.#draw = draw;
    canvas.write(HIDE_CURSOR);
    this.#paint();
    this.#timer = setInterval(() => this.#paint(), FRAME_MS);
  }

  /** Draws it a last time, and leaves it where it is. */
  end(): void {
    clearInterval(this.#timer);
    this.#paint();
    this.#canvas.write(SHOW_CURSOR);
  }

  #paint(): void {
    const { columns } = this.#canvas;
    const lines = this.#draw();
    // All in one write, so that nobody sees half a picture. A line that wrapped would make the next one start too high.
    const back = this.#height === 0 ? "" : `\u001B[${this.#height}A`;
    this.#canvas.write(back + lines.map((line) => `\r${cut(line, columns - 1)}\u001B[K\n`).join(""));
    this.#height = lines.length;
  }
}

const HIDE_CURSOR = "\u001B[?25l";
/** Brings the cursor back, should a program end while a region is drawn. */
export const SHOW_CURSOR = "\u001B[?25h";

/** Cuts a line to so many columns; colours take up no room, and are switched off at the end. */
export function cut(line: string, columns: number): string {
  // oxlint-disable-next-line no-control-regex -- colours begin with the escape character
  const parts = line.split(/(\u001B\[\d+m)/);
  let room = columns;
  let result = "";
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) result += part;
    else {
      const characters = [...part];
      result += characters.slice(0, room).join("");
      room -= Math.min(room, characters.length);
    }
  }
  return result;
}
