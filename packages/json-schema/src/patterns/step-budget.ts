/** Thrown when checking takes more steps than allowed. It never leaves this package: validators report an issue instead. */
export class StepsExhausted extends Error {
  override readonly name: string = "StepsExhausted";
}

/**
 * A number of steps that a check may take in all. It serves as a time limit that gives the same answer on every machine
 * and in every run.
 */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Takes steps off the budget. Throws {@link StepsExhausted} when there are not enough left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsExhausted();
  }
}
