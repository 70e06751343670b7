import { setTimeout as delay } from "node:timers/promises";

/** How many milliseconds to wait before looking again: sockets take a moment to close. */
const LOOK_MS = 100;

/** How many resources of each kind keep the process alive. */
export function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The handles that keep the process alive and did not before, such as `TCPSocketWrap 2`, once they had time to go away. */
export async function findLeftovers(before: ReadonlyMap<string, number>, maxLooks = 50): Promise<string[]> {
  let left: string[] = [];
  for (let looks = 0; looks < maxLooks; looks++) {
    left = Array.from(countResources(), ([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${kind} ${count}`);
    if (left.length === 0) return left;
    await delay(LOOK_MS);
  }
  return left;
}
