import type { AuthRefusal } from "../../transports/client-auth.ts";
import type { OAuthChallenge } from "../discovery/challenge.ts";
import type { TokenPlace } from "../discovery/discover.ts";

/** Everything that decides which scopes are asked for. */
interface ScopeSelection {
  /** The scopes that were asked for before: leaving them out would lose them. */
  readonly before: readonly string[] | undefined;
  /** The scopes of the application, which take the place of those that the server names. */
  readonly configured: readonly string[] | undefined;
  readonly challenge: OAuthChallenge;
  readonly place: TokenPlace;
  readonly needsUser: boolean;
}

/** Selects the scopes to ask for ("Scope Selection Strategy"). `undefined` leaves the parameter out. */
export function selectScopes(selection: ScopeSelection): readonly string[] | undefined {
  const { before = [], configured, challenge, place, needsUser } = selection;
  const wanted = new Set([...before, ...(configured ?? challenge.scopes ?? place.scopes ?? [])]);
  // A call that lacks scopes cannot do without them, whatever the application has configured.
  if (challenge.error === "insufficient_scope") for (const scope of challenge.scopes ?? []) wanted.add(scope);
  // Alone, it could take the place of default scopes. It has a use only where it is offered, and for a user.
  const offered: readonly string[] = place.issuer.scopes_supported ?? [];
  if (wanted.size > 0 && needsUser && offered.includes("offline_access")) wanted.add("offline_access");
  return wanted.size === 0 ? undefined : [...wanted];
}

/** How often one call may ask for more scopes, and for how long a set that was refused is remembered. */
const MAX_STEP_UPS = 2;
const REFUSED_MS = 10 * 60_000;
const MAX_REFUSED = 100;

/** Remembers which scopes were asked for, and which were refused, so that nobody is asked for the same again and again. */
export class ScopeMemory {
  /** The scopes of the last login, which outlive its grant. */
  #last: { readonly issuer: string; readonly scopes: readonly string[] } | undefined;
  /** How often each call has asked, by its first refusal. */
  readonly #stepUps = new WeakMap<AuthRefusal, number>();
  /** Until when a set of scopes is not asked for again. */
  readonly #refused = new Map<string, number>();

  /** Whether a call may ask for scopes: not those that were asked for already, nor too often, nor those that were refused. */
  mayAsk(refusal: AuthRefusal, needed: readonly string[], requested: readonly string[]): boolean {
    const first = refusal.previous[0] ?? refusal;
    const count = this.#stepUps.get(first) ?? 0;
    const isRefused = (this.#refused.get(keyOf(needed)) ?? 0) > performance.now();
    if (isRefused || count >= MAX_STEP_UPS || needed.every((scope) => requested.includes(scope))) return false;
    this.#stepUps.set(first, count + 1);
    return true;
  }

  /** The authorization server, or the user, has refused to grant scopes. */
  refused(scopes: readonly string[]): void {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(keyOf(scopes), performance.now() + REFUSED_MS);
  }

  /** Scopes were asked for at an issuer. */
  requested(issuer: string, scopes: readonly string[] | undefined): void {
    this.#last = scopes && { issuer, scopes };
  }

  /** The scopes that were asked for at an issuer last. */
  at(issuer: string): readonly string[] | undefined {
    return this.#last?.issuer === issuer ? this.#last.scopes : undefined;
  }

  clear(): void {
    this.#last = undefined;
    this.#refused.clear();
  }
}

function keyOf(scopes: readonly string[]): string {
  return [...scopes].toSorted().join(" ");
}
