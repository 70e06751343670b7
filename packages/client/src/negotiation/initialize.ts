import type { Caller } from "@toolwire/protocol/internal";
import type { Agreement, Terms } from "./agreement.ts";

/** Opens a connection of the legacy era. The code for that is loaded when such a server is first met. */
export async function initialize(caller: Caller, terms: Terms): Promise<Agreement> {
  const legacy = await import("../parts/legacy.ts");
  return legacy.initialize(caller, terms);
}
