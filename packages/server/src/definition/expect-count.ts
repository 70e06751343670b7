import { UsageError } from "@toolwire/protocol";

/**
 * A number that an option was given, which has to be whole and at least so much. Throws a `UsageError` otherwise: what
 * compares false to everything, such as `NaN`, would be no limit at all.
 */
export function expectCount(name: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError("INVALID_ARGUMENT", `${name} is ${value}, but must be a whole number of at least ${least}.`);
}
