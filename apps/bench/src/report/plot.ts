/** Draws growth as SVG: calls per second on the left, memory on the right, both axes of each logarithmic. */
import type { Growth, GrowthSeries } from "../measure/growth.ts";

const WIDTH = 880;
const HEIGHT = 340;
const PANEL = { width: 330, height: 200, top: 70 } as const;
const PANEL_LEFT = [80, 520] as const;
const COLOURS = ["#0b66c3", "#c2410c", "#15803d", "#7c3aed", "#6b7280", "#0e7490"];

/** A whole file. It says what its colours mean, and reads well on light and dark pages alike. */
export function drawGrowth({ title, of, memoryTitle, points, series }: Growth): string {
  const panels = [
    drawPanel(PANEL_LEFT[0], "calls per second", of, points, series, ({ rates }) => rates, formatRate),
    drawPanel(PANEL_LEFT[1], memoryTitle, of, points, series, ({ memory }) => memory, formatBytes),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#ffffff"/>`,
    `<text x="24" y="30" font-size="15" font-weight="600" fill="#111827">${escapeText(title)}</text>`,
    ...panels,
    ...series.map(drawKey),
    "</svg>",
    "",
  ].join("\n");
}

type Pick = (series: GrowthSeries) => readonly (number | undefined)[];

function drawPanel(
  left: number,
  title: string,
  of: string,
  points: readonly number[],
  series: readonly GrowthSeries[],
  pick: Pick,
  format: (value: number) => string,
): string {
  const values = series.flatMap(pick).filter((value) => value !== undefined && value > 0) as number[];
  const decades = findDecades(values);
  const bottom = PANEL.top + PANEL.height;
  const x = scale(points[0] ?? 1, points.at(-1) ?? 1, left, left + PANEL.width);
  const y = scale(decades[0] ?? 1, decades.at(-1) ?? 1, bottom, PANEL.top);
  const lines = series.map((each, index) => drawLine(points, pick(each), x, y, COLOURS[index % COLOURS.length] ?? ""));
  return [
    `<text x="${left}" y="${PANEL.top - 14}" font-weight="600" fill="#374151">${escapeText(title)}</text>`,
    ...decades.flatMap((value) => [
      `<line x1="${left}" x2="${left + PANEL.width}" y1="${y(value)}" y2="${y(value)}" stroke="#e5e7eb"/>`,
      `<text x="${left - 8}" y="${y(value) + 4}" text-anchor="end" fill="#6b7280">${format(value)}</text>`,
    ]),
    ...points.map(
      (point) =>
        `<text x="${x(point)}" y="${bottom + 18}" text-anchor="middle" fill="#6b7280">${formatRate(point)}</text>`,
    ),
    `<text x="${left + PANEL.width / 2}" y="${bottom + 36}" text-anchor="middle" fill="#374151">${escapeText(of)}</text>`,
    ...lines,
  ].join("\n");
}

function drawLine(
  points: readonly number[],
  values: readonly (number | undefined)[],
  x: (point: number) => number,
  y: (value: number) => number,
  colour: string,
): string {
  const places = points.flatMap((point, index) => {
    const value = values[index];
    return value === undefined || value <= 0 ? [] : [{ x: x(point), y: y(value) }];
  });
  const path = places.map((place, index) => `${index === 0 ? "M" : "L"}${place.x} ${place.y}`).join(" ");
  const dots = places.map((place) => `<circle cx="${place.x}" cy="${place.y}" r="3" fill="${colour}"/>`);
  return [`<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots].join("\n");
}

function drawKey({ name }: GrowthSeries, index: number): string {
  const left = PANEL_LEFT[0] + index * 130;
  const colour = COLOURS[index % COLOURS.length] ?? "";
  return [
    `<rect x="${left}" y="${HEIGHT - 22}" width="14" height="4" rx="2" fill="${colour}"/>`,
    `<text x="${left + 20}" y="${HEIGHT - 16}" fill="#111827">${escapeText(name)}</text>`,
  ].join("\n");
}

/** The powers of ten around all values. */
export function findDecades(values: readonly number[]): number[] {
  if (values.length === 0) return [1, 10];
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/** Maps values to places, evenly by their logarithm. */
function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log10(to) - Math.log10(from);
  return (value) =>
    Math.round(start + ((Math.log10(value) - Math.log10(from)) / (span === 0 ? 1 : span)) * (end - start));
}

function formatRate(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e3 ? `${value / 1e3} k` : String(value);
}

function formatBytes(value: number): string {
  if (value >= 1e9) return `${value / 1e9} GB`;
  return value >= 1e6 ? `${value / 1e6} MB` : `${value / 1e3} KB`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("`", "");
}
