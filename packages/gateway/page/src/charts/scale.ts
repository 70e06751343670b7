/** The scale of logarithmic charts: from a round value below the smallest to one above the largest. */
export function roundRange(min: number | null, max: number | null): [number, number] {
  // Durations of 0 have no logarithm.
  const smallest = min === null ? 1 : Math.max(min, MIN);
  const low = roundDown(smallest);
  const high = roundUp(max === null ? 10 : Math.max(max, smallest));
  // A single value needs room below and above it, to be seen at all.
  return low < high ? [low, high] : [low / 2, high * 2];
}

/** A hundredth of a millisecond. */
const MIN = 0.01;

function roundDown(value: number): number {
  const power = powerOf(value);
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

function roundUp(value: number): number {
  const power = powerOf(value);
  const digit = value / power;
  return (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1) * power;
}

function powerOf(value: number): number {
  return 10 ** Math.floor(Math.log10(value) + 1e-9);
}

/** Lines at 1, 2 and 5 times each power of ten; only powers of ten if that would be many. */
export function keepRoundValues(splits: readonly number[]): (number | null)[] {
  const isWide = (splits.at(-1) ?? 1) / (splits[0] ?? 1) > 300;
  const kept = isWide ? [1] : [1, 2, 5];
  return splits.map((split) => (kept.includes(Math.round(split / powerOf(split))) ? split : null));
}
