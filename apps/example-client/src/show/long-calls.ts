import type { Bar } from "../screen/presenter.ts";
import { onAllLanes, textOf, type Act } from "./act.ts";

const STEPS = 24;
const SECONDS = 0.84;
/** After how many steps the other call is given up. */
const PATIENCE = 8;

/** Two long calls on each transport: one is watched to its end, the other is cancelled on the way. */
export const longCalls: Act = async (stage) => {
  const { lanes, presenter, checks } = stage;
  presenter.act(
    "Progress and cancellation",
    `Two long calls on each transport report how far they are. One of them is given up after ${PATIENCE} steps.`,
  );
  const bars = lanes.map(({ name }) => [createBar(name, "to the end"), createBar(name, "given up")] as const);
  const view = presenter.showBars(bars.flat());
  try {
    await onAllLanes(stage, async ({ name, client }, index) => {
      const [whole, broken] = bars[index] ?? [createBar(name, ""), createBar(name, "")];
      const args = { duration: SECONDS, steps: STEPS };

      const watched = client.callTool("trigger-long-running-operation", args, {
        onProgress({ progress }) {
          whole.progress = progress;
          view.moved(whole);
        },
      });

      const impatience = new AbortController();
      const cancelled = client.callTool("trigger-long-running-operation", args, {
        signal: impatience.signal,
        onProgress({ progress }) {
          checks.that(`${name}: a cancelled call is silent`, !impatience.signal.aborted);
          broken.progress = progress;
          if (progress === PATIENCE) broken.state = "cancelled";
          view.moved(broken);
          if (progress === PATIENCE) impatience.abort();
        },
      });

      const [end, refusal] = await Promise.allSettled([watched, cancelled]);
      checks.that(`${name}: the watched call is answered`, end.status === "fulfilled");
      if (end.status === "fulfilled") {
        const expected = `Long running operation completed. Duration: ${SECONDS} seconds, Steps: ${STEPS}.`;
        checks.same(`${name}: the answer to the watched call`, textOf(end.value), expected);
      }
      checks.same(`${name}: steps that were reported`, whole.progress, STEPS);
      whole.state = "done";
      view.moved(whole);
      const isAborted = refusal.status === "rejected" && (refusal.reason as Error).name === "AbortError";
      checks.that(`${name}: the cancelled call rejects`, isAborted);

      const echo = await client.callTool("echo", { message: "still there?" });
      checks.same(`${name}: the connection goes on after a cancellation`, textOf(echo), "Echo: still there?");
    });
  } finally {
    view.end();
  }
};

function createBar(lane: Bar["lane"], label: string): Bar {
  return { lane, label, progress: 0, total: STEPS, state: "running" };
}
