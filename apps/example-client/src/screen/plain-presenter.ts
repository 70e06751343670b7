import type { Lane } from "../show/lanes.ts";
import type { Bar, BarsView, Presenter, View } from "./presenter.ts";
import { toOrdinal, toSeconds } from "./words.ts";

/** One line after another, for files, pipes and terminals that can do no more. */
export class PlainPresenter implements Presenter {
  #acts = 0;
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  act(title: string, explanation: string): void {
    this.#acts += 1;
    this.#print(`\n${this.#acts}. ${title}\n   ${explanation}`);
  }

  say(text: string): void {
    for (const line of text.split("\n")) this.#print(`   ${line}`);
  }

  showRace(lanes: readonly Lane[]): View {
    const start = performance.now();
    for (const { name, journal } of lanes) {
      journal.onAnswer = ({ id, position, arrival = 0, answeredAt = start, overtaken }) => {
        const order = `answered ${toOrdinal(arrival).padStart(4)}, sent ${toOrdinal(position).padStart(4)}`;
        const note = overtaken === 0 ? "" : `, ahead of ${overtaken} earlier`;
        this.say(`${toSeconds(answeredAt - start)}  ${name.padEnd(9)}  #${String(id).padEnd(4)} ${order}${note}`);
      };
    }
    return {
      end() {
        for (const { journal } of lanes) journal.onAnswer = undefined;
      },
    };
  }

  showBars(): BarsView {
    const told = new Map<Bar, number>();
    return {
      moved: (bar) => {
        const quarter = Math.floor((bar.progress / bar.total) * 4);
        const isNews = bar.state !== "running" || (quarter > (told.get(bar) ?? 0) && quarter < 4);
        if (!isNews) return;
        told.set(bar, quarter);
        const state = bar.state === "running" ? "" : `, ${bar.state}`;
        this.say(`${bar.lane.padEnd(9)}  ${bar.label}: ${bar.progress} of ${bar.total} steps${state}`);
      },
      end() {},
    };
  }
}
