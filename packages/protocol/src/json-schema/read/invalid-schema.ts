import { UsageError } from "../../errors.ts";
import { writePlace, type Place } from "../place.ts";

/** The error for a schema that breaks a rule at `place`. */
export function invalidSchema(place: Place | undefined, problem: string, cause?: unknown): UsageError {
  const where = writePlace(place);
  return new UsageError(
    "INVALID_SCHEMA",
    `Invalid JSON Schema${where === "" ? "" : ` at ${where}`}: ${problem}.`,
    cause === undefined ? undefined : { cause },
  );
}
