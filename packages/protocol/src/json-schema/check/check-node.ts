import type { Place } from "../place.ts";
import type { SchemaNode } from "../schema-node.ts";
import { checkArray } from "./array.ts";
import { checkCombinations } from "./combinations.ts";
import type { Members } from "./members.ts";
import { checkNumber } from "./number.ts";
import { checkObject } from "./object.ts";
import type { Run } from "./run.ts";
import { checkString } from "./string.ts";
import { checkFixedValues, checkType } from "./value.ts";

/** Checks a value against all keywords of a node. */
export function checkNode(node: SchemaNode, value: unknown, place: Place | undefined, run: Run): void {
  if (node.never) {
    run.fail("never", place, () => "nothing is allowed here: leave it out");
    return;
  }
  // What else is wrong with a value of the wrong type would only distract. Which values are allowed says more than their type.
  if (!checkFixedValues(node, value, place, run) || !checkType(node, value, place, run)) return;
  checkCombinations(node, value, place, run);
  if (run.isSettled) return;
  if (typeof value === "string") checkString(node, value, place, run);
  else if (typeof value === "number") checkNumber(node, value, place, run);
  else if (Array.isArray(value)) checkArray(node, value, place, run);
  else if (typeof value === "object" && value !== null) checkObject(node, value as Members, place, run);
}
