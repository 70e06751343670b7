/** What is promised of tasks, whatever happens to the processes that work at them. */
export const PROMISES = {
  "is-found": "a task is found by every process once a client has its id",
  "right-outcome": "every task is completed, with the result of its own call",
  "ends-once": "the outcome that a client has seen first is still the outcome in the end",
  "keeps-steps": "a step that the store has kept (`ctx.once`) is not done again",
  "leaves-none":
    "in the end no task is open: not even one whose id no client has got, because the process was killed before",
  "workers-survive": "no process ends by itself or reports an error",
} as const;

export type PromiseName = keyof typeof PROMISES;
