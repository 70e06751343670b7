import type { Principal } from "./contract.ts";

/** Whether a hook has found out who calls. Nobody is let in who has no name: a look-up that fails gives `undefined`. */
export function isPrincipal(found: Principal | undefined): found is Principal {
  return typeof found?.id === "string";
}
