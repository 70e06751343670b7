import { checkNode } from "../../src/check/validator.ts";
import { Run, TooDeep } from "../../src/check/run.ts";
import type { SchemaNode } from "../../src/read/schema-node.ts";
import { StepBudget, StepsExhausted } from "../../src/patterns/step-budget.ts";

/** A budget that tells how much of it was spent. */
export class CountingBudget extends StepBudget {
  spent = 0;

  override spend(steps: number): void {
    this.spent += steps;
    super.spend(steps);
  }
}

/** Checks a value, then finds words for what is wrong with it, as a validator does. Returns how many steps that took. */
export function countSteps(root: SchemaNode, value: unknown, maxSteps: number): number {
  let steps = 0;
  for (const issues of [undefined, []]) {
    const budget = new CountingBudget(maxSteps);
    try {
      new Run(checkNode, budget, issues).check(root, value, undefined);
    } catch (error) {
      if (!(error instanceof StepsExhausted || error instanceof TooDeep)) throw error;
    }
    steps += Math.min(budget.spent, maxSteps);
  }
  return steps;
}
