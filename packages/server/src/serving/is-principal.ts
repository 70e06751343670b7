import type { Principal } from "./contract.ts";

/** Whether a hook has found out who calls. Nobody is let in who has no name: a look-up that fails gives `undefined`. */
export function isPrincipal(found: unknown): found is Principal {
  return typeof (found as Principal | undefined)?.id === "string";
}
