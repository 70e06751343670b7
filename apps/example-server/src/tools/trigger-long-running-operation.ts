import { setTimeout as wait } from "node:timers/promises";
import { tool } from "@toolwire/server";
import { z } from "zod";
import { READ_ONLY } from "./hints.ts";

export const triggerLongRunningOperation = tool({
  title: "Long-running operation",
  description: "Takes its time, reports how far it has come, and stops as soon as it is cancelled.",
  input: z.object({
    duration: z.number().min(0).max(600).default(10).describe("How long it takes, in seconds"),
    steps: z.int().min(1).max(1000).default(5).describe("In how many steps"),
  }),
  annotations: READ_ONLY,
  async run({ duration, steps }, ctx) {
    for (let step = 1; step <= steps; step++) {
      // Rejects when the client gives up, which ends the handler; nobody waits for its answer then.
      await wait((duration * 1000) / steps, undefined, { signal: ctx.signal });
      ctx.progress(step, steps, `Step ${step} of ${steps}`);
    }
    return `Long running operation completed. Duration: ${duration} seconds, Steps: ${steps}.`;
  },
});
