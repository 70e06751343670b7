import type { DiscoveryRules } from "../discovery/discover.ts";
import type { Zone } from "../network/zones.ts";
import type { AuthStore } from "../store/auth-store.ts";
import type { TokenSource } from "./token-source.ts";

/** How a server is accessed: the options of a provider, with their defaults. */
export interface AccessOptions {
  readonly source: TokenSource;
  readonly store: AuthStore;
  readonly rules: DiscoveryRules;
  /** The scopes to ask for, in place of those that the server names. */
  readonly scopes: readonly string[] | undefined;
  /** Tells users of one store apart. */
  readonly account: string | undefined;
  readonly dpop: "auto" | "required" | false;
  readonly allowNetwork: Zone | undefined;
  /** Called when the state of the access may have changed. */
  changed(): void;
}
