import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/protocol";
import { describeKind } from "../definition/describe-kind.ts";
import type { Serving } from "./contract.ts";

/**
 * Refuses what is no server, before anything listens. `example` is the call as it should be written.
 *
 * @throws UsageError with what was given instead
 */
export function expectServing(example: string, server: unknown): void {
  if (isServing(server)) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The server comes first, as in ${example}: make it with createServer(). What was given is ${describe(server)}.`,
  );
}

function isServing(server: unknown): server is Serving {
  if (!isObject(server)) return false;
  return ["serve", "hear", "openSession", "diagnose"].every((method) => typeof server[method] === "function");
}

/** What was given. Of an object, the names show whether it was meant for options, for example. */
function describe(value: unknown): string {
  const kind = describeKind(value);
  if (kind === "a promise") return `${kind}: await it first`;
  const names = kind === "an object" ? Object.keys(value as object).slice(0, 5) : [];
  return names.length === 0 ? kind : `${kind} with ${names.join(", ")}`;
}
