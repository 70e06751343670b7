import { AuthError } from "@toolwire/protocol";
import { findKnownIssuer, type TokenPlace } from "../discovery/discover.ts";
import { DpopKey } from "../grants/dpop.ts";
import { TokenRefused } from "../grants/token-refusal.ts";
import type { AuthNetwork } from "../network/network.ts";
import { Breaker } from "../store/breaker.ts";
import type { AccessOptions } from "./access-options.ts";
import type { KeptGrant } from "./kept-grant.ts";
import type { ScopeMemory } from "./scopes.ts";
import type { TokenPlaces } from "./token-places.ts";
import type { ObtainedTokens } from "./token-source.ts";

/** Everything that new tokens are made from. */
interface NewTokensOptions {
  readonly server: URL;
  readonly access: AccessOptions;
  readonly kept: KeptGrant;
  readonly places: TokenPlaces;
  readonly scopes: ScopeMemory;
  readonly network: () => AuthNetwork;
  /** Bounds token requests that are of no use. */
  readonly tokenRequests: Breaker;
}

/** Gets new tokens for one server, by a login or by the credentials of a machine, and keeps them. */
export class NewTokens {
  readonly #options: NewTokensOptions;
  readonly #logins = new Breaker({ attempts: 3, what: "logins" });

  constructor(options: NewTokensOptions) {
    this.#options = options;
  }

  /** Gets new tokens. Other processes that want the same wait for them, and use them. */
  async obtain(
    place: TokenPlace,
    scopes: readonly string[] | undefined,
    rejected: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { kept, access, server, network, places, tokenRequests } = this.#options;
    const { source } = access;
    const attempts = source.needsUser ? this.#logins : tokenRequests;
    await kept.whileOthersWait(signal, async () => {
      await kept.reload();
      const isWide = scopes?.every((scope) => kept.current?.requested?.includes(scope)) ?? true;
      if (rejected !== undefined && isWide && kept.hasOther(rejected)) return;
      attempts.check();
      attempts.attempted();
      const dpop = places.bindsTokens(place) ? () => this.#findKey(place) : undefined;
      try {
        await this.#keep(await source.obtain({ server, network: network(), place, scopes, dpop, signal }));
      } catch (error) {
        // Without a way to log in, there was no attempt: the user may log in elsewhere at any time.
        if (error instanceof AuthError && error.code === "LOGIN_REQUIRED") attempts.reset();
        attempts.failed(error as Error);
        // The same credentials are refused again, so the next attempt waits at once.
        if (!source.needsUser && error instanceof TokenRefused) attempts.open(error);
        throw error;
      }
    });
  }

  /** Finishes a login that another page has begun. Resolves to whether there was one. */
  async resume(signal: AbortSignal): Promise<boolean> {
    const { access, server, network } = this.#options;
    const { source, rules } = access;
    const wish = { server, network: network(), dpop: () => this.#makeKey(), signal };
    const found = await source.resume?.(wish, (issuer) => findKnownIssuer(wish.network, issuer, rules, signal));
    if (found !== undefined) await this.#keep(found);
    return found !== undefined;
  }

  /** The server has accepted a token, so the attempts were of use. */
  proved(): void {
    this.#options.tokenRequests.reset();
    this.#logins.reset();
  }

  async #keep(obtained: ObtainedTokens): Promise<void> {
    const { scopes, kept } = this.#options;
    scopes.requested(obtained.place.issuer.issuer, obtained.scopes);
    await kept.keep(obtained);
  }

  /**
   * The key for new tokens. A machine stays the same at one place, and so does its key. A login may be that of another user: with the
   * same key, servers could tell that both are users of this client.
   */
  async #findKey(place: TokenPlace): Promise<DpopKey> {
    const { kept, access, places } = this.#options;
    const isSame = !access.source.needsUser && kept.current !== undefined && places.isFrom(kept.current, place);
    return (isSame ? kept.key : undefined) ?? this.#makeKey();
  }

  #makeKey(): Promise<DpopKey> {
    return DpopKey.generate(this.#options.access.store.holdsObjects !== true);
  }
}
