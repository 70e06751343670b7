const whole = new Intl.NumberFormat("en-GB");
const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/** 12,345 */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** 12.3k, for axes and places without room. */
export function formatCompact(value: number): string {
  return value < 1000 ? String(value) : compact.format(value).toLowerCase();
}

/** A duration with as many digits as matter: 0.08 ms, 4.2 ms, 386 ms, 2.4 s. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "–";
  if (ms >= 60_000) return `${trim(ms / 60_000, 1)} min`;
  if (ms >= 1000) return `${trim(ms / 1000, ms >= 10_000 ? 1 : 2)} s`;
  if (ms >= 100) return `${Math.round(ms)} ms`;
  if (ms >= 10) return `${trim(ms, 1)} ms`;
  return `${trim(ms, 2)} ms`;
}

/** 2.4 % */
export function formatShare(share: number | undefined): string {
  if (share === undefined) return "–";
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${trim(percent, percent >= 10 ? 1 : 2)} %`;
}

/** 1.4 KiB */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${trim(value, unit === 0 || value >= 100 ? 0 : 1)} ${units[unit] ?? ""}`;
}

/** "1 tool", "2 tools" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
