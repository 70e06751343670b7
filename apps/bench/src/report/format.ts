/** Figures as people read them. */
import type { Summary } from "../measure/statistics.ts";
import type { Verdict } from "../measure/verdict.ts";

/** Two significant digits or so: `0.82`, `4.1`, `128`. */
export function formatRatio(value: number): string {
  if (value >= 10) return value.toFixed(0);
  if (value >= 2) return value.toFixed(1);
  return value >= 0.01 ? value.toFixed(2) : value.toPrecision(1);
}

/** The middle and the quartiles around it: `0.82 (0.80 to 0.84)`. */
export function formatSpread({ median, low, high }: Summary, format: (value: number) => string = formatRatio): string {
  return `${format(median)} (${format(low)} to ${format(high)})`;
}

/** `31 400`. */
export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, " ");
}

/** `18.3 KB`, `1.2 MB`: powers of ten, as package registries count. */
export function formatSize(bytes: number): string {
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e3).toFixed(1)} KB`;
}

/** `3.1 KiB`, `42 MiB`: powers of two, as memory is counted. */
export function formatMemory(bytes: number): string {
  if (bytes >= 1024 ** 2) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** `43 ms`, or with a decimal below ten. */
export function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

/** `yes`, or how much is missing: `no, 4 % short`. */
export function formatVerdict(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "";
  if (verdict.isMet) return "yes";
  const percent = verdict.shortfall * 100;
  return `no, ${percent < 1 ? "less than 1" : percent.toFixed(0)} % short`;
}
