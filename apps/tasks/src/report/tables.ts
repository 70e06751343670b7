import { markdownTable } from "@toolwire/evidence";
import { PROMISES } from "../faults/promises.ts";
import type { FaultsResult } from "../faults/run-faults.ts";
import type { Figures } from "../figures/figures.ts";
import { HEAP_PER_TASK } from "../figures/measure.ts";
import type { StoreName } from "../stores/store.ts";

/** The figures of one store. */
export interface MeasuredStore {
  readonly name: StoreName;
  readonly title: string;
  readonly figures: Figures;
}

/** What is promised, a row for each promise. */
export function tabulatePromises(): string {
  return markdownTable(
    ["promise", "what it means"],
    Object.entries(PROMISES).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

/** What became of tasks while workers were killed, a row for each store and each way to go on. */
export function tabulateFaults(results: readonly FaultsResult[]): string {
  return markdownTable(
    [
      "store",
      "goes on by",
      "tasks",
      "workers killed",
      "handlers begun again",
      "steps repeated before they were kept",
      "calls made again",
      "seconds",
      "promises",
    ],
    results.map(({ store, remedy, kills, unanswered, seconds, verdict }) => {
      const { tasks, begunAgain, repeatedSteps, broken } = verdict;
      const figures = [tasks, kills, begunAgain, repeatedSteps, unanswered, seconds].map(String);
      const names = broken.map(({ promise }) => `\`${promise}\``);
      return [store, remedy, ...figures, names.length === 0 ? "all kept" : `broken: ${names.join(", ")}`];
    }),
  );
}

/** How fast stores are, and what open tasks cost the process, a row for each store. */
export function tabulateFigures(measured: readonly MeasuredStore[]): string {
  return markdownTable(
    ["store", "tasks in a second", "tasks open at the same time", "heap for these", "for each"],
    measured.map(({ title, figures: { tasksPerSecond, open, heap } }) => {
      const bytes = Math.max(0, heap);
      return [
        title,
        `${tasksPerSecond}`,
        open.toLocaleString("en"),
        `${(bytes / 1_048_576).toFixed(1)} MiB`,
        `${Math.round(bytes / open)} bytes`,
      ];
    }),
  );
}

/** Everything that must not be, in words. Empty if all promises were kept. */
export function listProblems(results: readonly FaultsResult[], measured: readonly MeasuredStore[]): string[] {
  const broken = results.flatMap(({ store, remedy, verdict }) =>
    verdict.broken.map(({ promise, count, examples }) => {
      const shown = examples.map((example) => `\n    ${example}`).join("");
      return `${store}, ${remedy}: ${promise} (${PROMISES[promise]}): ${count}x${shown}`;
    }),
  );
  const large = measured
    .filter(({ name, figures: { heap, open } }) => name !== "memory" && heap > open * HEAP_PER_TASK)
    .map(({ title, figures: { heap, open } }) => {
      const each = Math.round(heap / open);
      return `${title}: each of ${open} open tasks takes ${each} bytes of the heap, and at most ${HEAP_PER_TASK} are allowed.`;
    });
  return [...broken, ...large];
}
