import type { Paint } from "../printing/paint.ts";
import type { Lane } from "../show/lanes.ts";
import { LiveRegion, type Canvas } from "./live-region.ts";
import type { Bar, BarsView, Presenter, View } from "./presenter.ts";
import { drawRace } from "./race-picture.ts";
import { wrap } from "./words.ts";

/** How many milliseconds the time axis of the race shows. */
const RACE_SPAN_MS = 1600;

/** The show on a terminal: it moves while it happens, and stays readable afterwards. */
export class LivePresenter implements Presenter {
  readonly #canvas: Canvas;
  readonly #paint: Paint;
  #acts = 0;

  constructor(canvas: Canvas, paint: Paint) {
    this.#canvas = canvas;
    this.#paint = paint;
  }

  act(title: string, explanation: string): void {
    this.#acts += 1;
    const paint = this.#paint;
    const width = Math.min(this.#canvas.columns, 100) - 2;
    const rule = "─".repeat(Math.max(0, width - title.length - 3));
    const lines = wrap(explanation, width).map((line) => ` ${paint("dim", line)}\n`);
    this.#canvas.write(
      `\n ${paint("green", `${this.#acts}`)} ${paint("bold", title)} ${paint("dim", rule)}\n${lines.join("")}`,
    );
  }

  say(text: string): void {
    for (const line of text.split("\n")) this.#canvas.write(`   ${line}\n`);
  }

  showRace(lanes: readonly Lane[]): View {
    const startedAt = performance.now();
    return new LiveRegion(this.#canvas, () => {
      const { columns, rows } = this.#canvas;
      const scene = { lanes, startedAt, now: performance.now(), spanMs: RACE_SPAN_MS, columns, rows };
      return drawRace(scene, this.#paint);
    });
  }

  showBars(bars: readonly Bar[]): BarsView {
    const region = new LiveRegion(this.#canvas, () => bars.map((bar) => this.#drawBar(bar)));
    return { moved() {}, end: () => region.end() };
  }

  #drawBar({ lane, label, progress, total, state }: Bar): string {
    const paint = this.#paint;
    const width = Math.max(10, Math.min(40, this.#canvas.columns - 50));
    const filled = Math.round((progress / total) * width);
    const colour = state === "running" ? "cyan" : state === "done" ? "green" : "yellow";
    const bar = paint(colour, "█".repeat(filled)) + paint("dim", "░".repeat(width - filled));
    const count = `${String(progress).padStart(3)} of ${total}`;
    return ` ${lane.padEnd(11)}${label.padEnd(10)} ${bar} ${count}  ${state === "running" ? "" : paint(colour, state)}`;
  }
}
