/**
 * Makes a function that says whether one more is allowed now: `burst` at once, and `perSecond` in the long run.
 *
 * It uses nothing but its parameters, because sandbox pages contain its text.
 */
export function createRateLimit(
  perSecond: number,
  burst: number,
  now: () => number = () => performance.now(),
): () => boolean {
  let left = burst;
  let before = now();
  return () => {
    const time = now();
    left = Math.min(burst, left + ((time - before) / 1000) * perSecond);
    before = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
