import type { HttpConnector } from "@toolwire/client";
import type { OAuthOptions } from "@toolwire/client/auth";

/** An upstream at which people log in. */
export interface LoginTarget {
  /** The URL of the upstream. */
  readonly url: string;
  /** Whether one login serves all callers. */
  readonly isShared: boolean;
  /** Opens connections to it and to its authorization server, to allowed addresses only. */
  readonly connect: HttpConnector | undefined;
  /** How the gateway presents itself to the authorization server. */
  options(): Promise<Omit<OAuthOptions, "store" | "login">>;
}
