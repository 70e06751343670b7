import { AuthError } from "@toolwire/protocol";
import type { Principal } from "./contract.ts";

/** How HTTP tells of a refusal by an authentication hook. */
export interface Denial {
  readonly status: 401 | 403;
  /** The value of `WWW-Authenticate`; a 401 must have one (RFC 9110, section 15.5.2). */
  readonly challenge: string | undefined;
}

/** Whom an authentication hook has found. Nobody is let in for whom there is no name: a look-up that fails gives `undefined`. */
export function expectPrincipal(found: Principal | undefined): Principal {
  if (typeof found?.id === "string") return found;
  throw new AuthError("UNAUTHORIZED", "Credentials are missing, or not accepted here.");
}

/** The same refusal for every binding that begins with an HTTP request. */
export function toDenial({ code, challenge }: AuthError): Denial {
  const sent = challenge?.replaceAll(UNSENDABLE, " ");
  return code === "UNAUTHORIZED" ? { status: 401, challenge: sent ?? "Bearer" } : { status: 403, challenge: sent };
}

/** What no header can carry. A hook may quote the caller in its challenge, who must not get to write further headers. */
const UNSENDABLE = /[^\t\u0020-\u007E\u0080-\u00FF]/g;
