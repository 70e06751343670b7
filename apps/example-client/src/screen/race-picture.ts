import type { Colour, Paint } from "../printing/paint.ts";
import type { JournaledCall } from "../show/journal.ts";
import type { Lane } from "../show/lanes.ts";
import { toOrdinal, toSeconds } from "./words.ts";

/** The data of a picture of the race. */
export interface RaceScene {
  readonly lanes: readonly Pick<Lane, "name" | "journal">[];
  readonly startedAt: number;
  readonly now: number;
  /** How many milliseconds the time axis shows. */
  readonly spanMs: number;
  readonly columns: number;
  readonly rows: number;
}

const NAME_WIDTH = 11;
const ID_WIDTH = 6;
const TAIL_WIDTH = 32;

/** Those of the connections, in their order. */
const COLOURS: readonly Colour[] = ["cyan", "magenta", "yellow"];

/** Draws the race: all calls as a row of boxes, and some of them along the time axis. */
export function drawRace(scene: RaceScene, paint: Paint): string[] {
  const { lanes, rows } = scene;
  const strips = lanes.map(({ name, journal }, index) => drawStrip(name, journal.calls, colourAt(index), paint));
  // Room for the strips, the axis, and what was printed above.
  const bars = Math.max(1, Math.min(4, Math.floor((rows - strips.length - 8) / lanes.length)));
  const timeline = lanes.flatMap(({ name, journal }, index) =>
    journal.calls.slice(0, bars).map((call) => drawBar(name, call, scene, colourAt(index), paint)),
  );
  return [...strips, "", drawAxis(scene, paint), ...timeline];
}

function colourAt(index: number): Colour {
  return COLOURS[index % COLOURS.length] ?? "cyan";
}

/** `stdio      ■■·■··■■·■   6 of 10 answered, 3 out of order`. */
function drawStrip(name: string, calls: readonly JournaledCall[], colour: Colour, paint: Paint): string {
  const boxes = calls
    .map(({ answeredAt }) => (answeredAt === undefined ? paint("dim", "·") : paint(colour, "■")))
    .join("");
  const answered = calls.filter(({ answeredAt }) => answeredAt !== undefined);
  const ahead = answered.filter(({ overtaken }) => overtaken > 0);
  const count = `${answered.length} of ${calls.length} answered, ${ahead.length} out of order`;
  return ` ${paint(colour, name.padEnd(NAME_WIDTH))}${boxes}  ${paint("dim", count)}`;
}

/** `stdio   #5   ━━━━━━━━● 0.731 s, sent 4th, answered 9th`. */
function drawBar(name: string, call: JournaledCall, scene: RaceScene, colour: Colour, paint: Paint): string {
  const { id, position, sentAt, answeredAt, arrival = 0 } = call;
  const width = axisWidth(scene);
  const elapsed = (answeredAt ?? scene.now) - sentAt;
  const length = Math.max(0, Math.min(width - 1, Math.round((elapsed / scene.spanMs) * width)));
  const label = ` ${paint(colour, name.padEnd(NAME_WIDTH))}${`#${id}`.padEnd(ID_WIDTH)}`;
  if (answeredAt === undefined) return `${label}${paint("dim", "━".repeat(length))}╸`;
  const tail = `${toSeconds(elapsed)}, sent ${toOrdinal(position)}, answered ${toOrdinal(arrival)}`;
  return `${label}${paint(colour, `${"━".repeat(length)}●`)} ${paint("dim", tail)}`;
}

function drawAxis(scene: RaceScene, paint: Paint): string {
  const width = axisWidth(scene);
  const marks = 4;
  const cells = Array.from({ length: marks }, (_, index) => {
    const seconds = `${((scene.spanMs / 1000) * (index / marks)).toFixed(1)} s`;
    return `┊${seconds}`.padEnd(Math.floor(width / marks));
  });
  return ` ${" ".repeat(NAME_WIDTH + ID_WIDTH)}${paint("dim", cells.join(""))}`;
}

function axisWidth({ columns }: RaceScene): number {
  return Math.max(12, columns - NAME_WIDTH - ID_WIDTH - TAIL_WIDTH - 3);
}
