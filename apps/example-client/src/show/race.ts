import { onAllLanes, textOf, type Act } from "./act.ts";
import type { Lane } from "./lanes.ts";

const CALLS_PER_LANE = 24;
const SHORTEST_MS = 100;
const STEP_MS = 60;

/** No two lanes shuffle their delays alike; each factor has no divisor in common with the number of calls. */
const SHUFFLES = [7, 11, 5] as const;

/** Dozens of calls at once on each transport, with different delays: answers come in another order than questions. */
export const race: Act = async (stage) => {
  const { lanes, presenter, checks } = stage;
  presenter.act(
    `${CALLS_PER_LANE * lanes.length} calls at once`,
    `Each transport gets ${CALLS_PER_LANE} calls in the same moment, each with a delay of its own. Answers find their calls by id.`,
  );
  for (const { journal } of lanes) journal.turnPage();
  const view = presenter.showRace(lanes);
  try {
    await onAllLanes(stage, async (lane, index) => {
      const calls = delaysOf(index).map(async (duration) => {
        const result = await lane.client.callTool("trigger-long-running-operation", { duration, steps: 1 });
        const expected = `Long running operation completed. Duration: ${duration} seconds, Steps: 1.`;
        checks.same(`${lane.name}: the answer to the call of ${duration} s`, textOf(result), expected);
      });
      await Promise.all(calls);
    });
  } finally {
    view.end();
  }
  for (const lane of lanes) checkOrder(lane, stage.checks);
};

/** Delays in seconds. None occurs twice in the whole race, so that every answer can belong to one call only. */
function delaysOf(lane: number): number[] {
  const factor = SHUFFLES[lane % SHUFFLES.length] ?? 1;
  return Array.from({ length: CALLS_PER_LANE }, (_, index) => {
    const rank = (index * factor + 13) % CALLS_PER_LANE;
    return (SHORTEST_MS + rank * STEP_MS + lane * 10) / 1000;
  });
}

function checkOrder({ name, journal }: Lane, checks: Parameters<Act>[0]["checks"]): void {
  const answered = journal.calls.filter(({ answeredAt }) => answeredAt !== undefined);
  checks.same(`${name}: the number of answers`, answered.length, CALLS_PER_LANE);
  checks.that(
    `${name}: answers came in another order than calls`,
    answered.some(({ overtaken }) => overtaken > 0),
  );
}
