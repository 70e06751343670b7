// Chooses what to show of the output of a command.

/** How many lines are shown at most. */
const MOST = 150;
/** How many of the last lines are shown of output whose form is not known. */
const LAST = 60;

/** Lines of vitest that name a failure, say where it is, or count. */
const OF_VITEST =
  /^\s*(?:FAIL |❯ .+:\d+|×|Test Files |Tests |Type Errors |Errors |Unhandled)|\b(?:[A-Z]\w*)?Error\b.*:|⎯ (?:Failed|Unhandled)/;

/**
 * The lines that say what failed: of tests, their names, errors, places and the counts; of everything else, the end.
 *
 * @param {string} output
 * @returns {string[]}
 */
export function failureLines(output) {
  // oxlint-disable-next-line no-control-regex -- colours are control sequences.
  const lines = output.replaceAll(/\u001B\[[\d;]*m/g, "").split(/\r?\n/);
  while (lines.at(-1)?.trim() === "") lines.pop();
  if (!lines.some((line) => /^\s*Test Files /.test(line))) return lines.slice(-LAST);
  const telling = lines.filter((line) => OF_VITEST.test(line)).filter((line, index, all) => line !== all[index - 1]);
  if (telling.length <= MOST) return telling;
  // The counts are at the end.
  const counts = telling.slice(-6);
  const left = telling.length - MOST + 1;
  return [...telling.slice(0, MOST - counts.length - 1), `… ${left} more lines …`, ...counts];
}

/**
 * Why a command did nothing, if it did not. One that lacks a program, such as a browser, says so and closes with a line of its own.
 *
 * @param {string} output
 * @returns {string | undefined}
 */
export function reasonToSkip(output) {
  return /(?:^|\n)(.+)\r?\n0 passed, 0 failed, 1 skipped\s*$/.exec(output)?.[1];
}
