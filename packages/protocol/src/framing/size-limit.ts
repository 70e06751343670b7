/** One limit for every frame, whatever the framing: what it is by default, and how going beyond it is reported. */

import { ProtocolViolation, UsageError } from "../errors.ts";

/** How many bytes a line or event may have unless `maxBytes` says otherwise: 4 MiB. */
export const DEFAULT_MAX_BYTES: number = 4 * 1024 * 1024;

/** The limit to apply for a `maxBytes` option; `Infinity` switches it off. */
export function resolveMaxBytes(maxBytes: number = DEFAULT_MAX_BYTES): number {
  // Written so that NaN is refused as well: a limit that compares false to everything is no limit.
  if (!(maxBytes >= 1)) {
    throw new UsageError("INVALID_ARGUMENT", `\`maxBytes\` must be a number of bytes, but is ${maxBytes}.`);
  }
  return maxBytes;
}

/** What to report for a frame above the limit. `consequence` tells what was dropped with it. */
export function tooLarge(frame: string, maxBytes: number, consequence: string): ProtocolViolation {
  return new ProtocolViolation(
    "TOO_LARGE",
    `${frame} is larger than the limit of ${maxBytes} bytes; ${consequence} To accept it, raise \`maxBytes\`.`,
  );
}
