import { AuthError } from "@toolwire/protocol";
import type { Principal } from "./contract.ts";

/**
 * Whom an authentication hook has found. Nobody is let in for whom there is no name: a look-up that fails gives
 * `undefined`.
 */
export function expectPrincipal(found: Principal | undefined): Principal {
  if (typeof found?.id === "string") return found;
  throw new AuthError("UNAUTHORIZED", "Credentials are missing, or not accepted here.");
}
