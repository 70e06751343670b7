import { toUSVString } from "node:util";
import { UsageError } from "@toolwire/protocol";
import { LONGEST_SECRET } from "../secrets/redactor.ts";

/** Refuses names and values that could not be referred to or kept. */
export function checkSecret(name: string, value: string, principal: string | undefined): void {
  if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(name)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "The name of a secret has 1 to 128 letters, digits, dots, underscores and hyphens, and begins with a letter or a digit.",
    );
  }
  if (principal !== undefined && (principal === "" || principal.length > 256)) {
    throw new UsageError("INVALID_ARGUMENT", "The principal of a secret has 1 to 256 characters.");
  }
  if (value === "" || value.length > LONGEST_SECRET || value.includes("\0") || value !== toUSVString(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The value of the secret ${name} must have 1 to ${LONGEST_SECRET} characters, all of them valid Unicode and none of them NUL.`,
    );
  }
}
