import { markdownTable } from "@toolwire/evidence";
import type { Exclusion } from "../exclusions.ts";
import type { Verdict } from "../pairs/judge.ts";
import type { Half } from "../pairs/pairs.ts";
import type { ClientBinding, ServerBinding } from "../runtimes/runtime.ts";

const COLUMNS: {
  readonly server: readonly (readonly [ServerBinding, string])[];
  readonly client: readonly (readonly [ClientBinding, string])[];
} = {
  server: [
    ["http", "`createHttpHandler`"],
    ["node", "`serveHttp`"],
    ["stdio", "`/stdio`"],
    ["websocket", "`/websocket`"],
  ],
  client: [
    ["http", "HTTP"],
    ["websocket", "WebSocket"],
    ["stdio", "stdio"],
    ["memory", "memory"],
  ],
};

/** The cells of a row after its title. */
export type Row = readonly string[];

/** One row a runtime, one column a binding: how many steps passed in either era. Rows that were not run are given. */
export function tabulate(
  half: Half,
  titles: readonly string[],
  verdicts: readonly Verdict[],
  kept: ReadonlyMap<string, Row>,
): string {
  const columns = COLUMNS[half];
  const rows = titles.map((title) => {
    const ofRow = verdicts.filter(({ run: { pair } }) => pair.half === half && pair.runtime.title === title);
    const cells = columns.map(([binding]) =>
      ofRow
        .filter(({ run }) => run.pair.binding === binding)
        .map(({ passed, possible }) => `${passed}/${possible}`)
        .join(" · "),
    );
    return [title, ...(kept.get(title) ?? cells)];
  });
  return markdownTable([`${half} in`, ...columns.map(([, title]) => title)], rows);
}

/** The rows of runtimes that were not run this time, as they were published before. */
export function keepRows(published: string, half: Half, titles: readonly string[]): ReadonlyMap<string, Row> {
  const rows = findRows(published, half);
  return new Map(titles.map((title) => [title, rows.get(title) ?? ["not run"]]));
}

/** The line that says when a browser was run last, and in which version, as it was published before. */
export function keepRunLine(published: string, title: string): string {
  const lines = published.split("\n").filter((line) => line.startsWith("Run on "));
  return lines.find((line) => line.includes(` in ${title} `)) ?? `Run on no day in ${title} yet.`;
}

/** The table of what runtimes cannot do. */
export function explainExclusions(exclusions: readonly Exclusion[]): string {
  return exclusions
    .map(({ runtime, half, bindings, steps, revisions = [], reason }) => {
      const names = COLUMNS[half].filter(([binding]) => bindings.includes(binding)).map(([, title]) => title);
      const what = steps === undefined ? "" : `, ${[...steps, ...revisions].join(", ")}`;
      const row = runtime.source.replaceAll(/[\^$]/g, "").replaceAll("|", ", ");
      return `- ${row}, ${half}, ${names.join(", ")}${what}: ${reason}.`;
    })
    .join("\n");
}

/** By title. */
function findRows(published: string, half: Half): ReadonlyMap<string, Row> {
  const lines = published.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const start = lines.findIndex(([head]) => head === `${half} in`);
  const rows = new Map<string, Row>();
  // Below the head and the line under it.
  for (const [title, ...cells] of start === -1 ? [] : lines.slice(start + 2)) {
    if (title === undefined) break;
    rows.set(title, cells);
  }
  return rows;
}
