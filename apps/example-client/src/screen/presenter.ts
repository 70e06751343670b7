import type { Lane } from "../show/lanes.ts";

/** How far a long call has come. */
export interface Bar {
  readonly lane: Lane["name"];
  readonly label: string;
  progress: number;
  readonly total: number;
  state: "running" | "done" | "cancelled";
}

/** Something that is shown while it happens. */
export interface View {
  /** It is over: what is shown stays. */
  end(): void;
}

/** Something that is shown while it happens, and has to be told of changes. */
export interface BarsView extends View {
  /** A bar has moved. */
  moved(bar: Bar): void;
}

/** Shows the show. On a terminal it moves; elsewhere it is one line after another. */
export interface Presenter {
  /** Begins the next act. */
  act(title: string, explanation: string): void;
  /** Says something, which may have several lines. */
  say(text: string): void;
  /** Shows calls being answered, from now on. */
  showRace(lanes: readonly Lane[]): View;
  /** Shows progress bars, from now on. */
  showBars(bars: readonly Bar[]): BarsView;
}
