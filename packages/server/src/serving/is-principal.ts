import type { Principal } from "./contract.ts";

/**
 * Whether a hook has found out who calls. Nobody is let in who has no name: a look-up that fails gives `undefined`, or an
 * empty `id`, under which all whom nobody knows would be one caller.
 */
export function isPrincipal(found: unknown): found is Principal {
  const id: unknown = (found as Principal | null | undefined)?.id;
  return typeof id === "string" && id !== "";
}
