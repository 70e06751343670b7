import type { Admission, ResourceMetadata, ServerAuth } from "../bindings/admission/auth.ts";
import type { RequestHead } from "../bindings/admission/options.ts";
import { AttachedCluster, type DetachCluster } from "../cluster/attached.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Principal } from "../origin.ts";
import { type ChallengeError, type ChallengeSettings, writeChallenges } from "./challenge.ts";
import { type Credentials, hasSeveralTokens, hasTokenInQuery, readCredentials } from "./credentials.ts";
import { DpopCheck, hashText } from "./dpop/check-dpop.ts";
import { type BoundToken, ProofRefused, WrongKey } from "./dpop/proof.ts";
import { SharedWork } from "./issuer/shared-work.ts";
import { writeMetadata } from "./metadata.ts";
import { type ProtectOptions, type ProtectSettings, readProtectOptions } from "./options.ts";
import { type Refused, Refusals } from "./refusals.ts";
import { createPrincipal } from "./tokens/principal.ts";
import { TokenCache } from "./tokens/token-cache.ts";
import { TokenRefused } from "./tokens/verified.ts";

/** Lets callers in by access tokens. Give it to a binding as `auth`. */
export interface TokenProtection extends ServerAuth {
  /** The token of a caller, with `exposeToken` only: to exchange it for a token for another server. */
  tokenOf(principal: Principal | undefined): string | undefined;
}

/**
 * Protects a server with access tokens of OAuth: verifies them, tells clients how to get one, and names the caller to handlers as
 * `ctx.principal`.
 *
 * @throws UsageError for options that cannot be right
 */
export function protect(options: ProtectOptions): TokenProtection {
  return new Protection(readProtectOptions(options));
}

/** A token that was verified: what it is worth in requests with this `Authorization` header. */
interface KnownToken {
  /** The same object for every request. */
  readonly admission: Admission;
  /** The key that a proof must come from. */
  readonly bound: BoundToken | undefined;
}

/** How many tokens are remembered as good, how many characters they may have in all, and for how long. */
const MAX_KNOWN = 10_000;
const MAX_KNOWN_CHARACTERS = 16 * 1024 * 1024;
const MAX_KNOWN_MS = 60_000;
/** The same for tokens that are not good: clients try again and again. */
const MAX_REFUSED = 1000;
const MAX_REFUSED_CHARACTERS = 1024 * 1024;
const REFUSED_MS = 5000;

class Protection implements TokenProtection {
  readonly metadata: ResourceMetadata;
  readonly #settings: ProtectSettings;
  readonly #challenges: ChallengeSettings;
  readonly #refusals: Refusals;
  readonly #dpop: DpopCheck | undefined;
  readonly #cluster = new AttachedCluster("`auth`");
  /** By `Authorization` header: a hit then needs no parsing. */
  readonly #known = new TokenCache<KnownToken>(MAX_KNOWN, MAX_KNOWN_CHARACTERS);
  readonly #refused = new TokenCache<true>(MAX_REFUSED, MAX_REFUSED_CHARACTERS);
  readonly #running = new SharedWork<KnownToken | Refused>();
  readonly #tokens = new WeakMap<Principal, string>();

  constructor(settings: ProtectSettings) {
    const { resource, scopes, dpop } = settings;
    this.#settings = settings;
    const dpopAlgorithms = dpop?.algorithms;
    const requiresDpop = dpop?.isRequired === true;
    this.metadata = writeMetadata({ ...settings, scopes: settings.scopesSupported, dpopAlgorithms, requiresDpop });
    this.#challenges = { metadataUrl: this.metadata.url, takesBearer: !requiresDpop, dpopAlgorithms };
    const challenge = (error?: ChallengeError): string => writeChallenges(this.#challenges, scopes, error);
    this.#refusals = new Refusals(challenge, scopes);
    this.#dpop = dpop && new DpopCheck(resource, dpop, undefined, () => this.#cluster.current);
  }

  admit(request: RequestHead): Admission | Promise<Admission> {
    if (hasTokenInQuery(request) || hasSeveralTokens(request)) return this.#refusals.malformed;
    const header = request.header("authorization");
    if (header === undefined) return this.#refusals.missing;
    const known = this.#known.get(header, Date.now());
    if (known !== undefined) return this.#admitKnown(known, request);
    if (this.#refused.get(header, Date.now()) === true) return this.#refusals.invalid;
    const credentials = readCredentials(header);
    if (credentials === "malformed") return this.#refusals.malformed;
    if (credentials === undefined || !this.#takes(credentials)) return this.#refusals.missing;
    return this.#running
      .run(header, () => this.#verify(header, credentials, request))
      .then((found) => ("refusal" in found ? found : this.#admitKnown(found, request)));
  }

  challenge(scopes: readonly string[]): readonly string[] {
    // The scopes for any access are named as well: some clients ask for nothing but what they are told here.
    const all = [...new Set([...this.#settings.scopes, ...scopes])];
    return ["WWW-Authenticate", writeChallenges(this.#challenges, all, "insufficient_scope")];
  }

  attachCluster(cluster: Cluster): DetachCluster {
    return this.#cluster.attach(cluster);
  }

  tokenOf(principal: Principal | undefined): string | undefined {
    return principal && this.#tokens.get(principal);
  }

  /** A scheme that is not supported is as good as no token. */
  #takes({ scheme }: Credentials): boolean {
    return scheme === "DPoP" ? this.#dpop !== undefined : this.#challenges.takesBearer;
  }

  #admitKnown({ admission, bound }: KnownToken, request: RequestHead): Admission | Promise<Admission> {
    return bound === undefined ? admission : this.#checkProof(admission, bound, request);
  }

  /** Finds out what a token is worth. Never rejects. */
  async #verify(header: string, credentials: Credentials, request: RequestHead): Promise<KnownToken | Refused> {
    try {
      const { resource, verify } = this.#settings;
      const caller = await verify(credentials.token, { resource, request });
      const now = Date.now();
      const { expiresAt = Infinity, maxAge = MAX_KNOWN_MS, keyThumbprint } = caller;
      if (!(expiresAt > now)) throw new TokenRefused("it has expired");
      const bound = await this.#bind(credentials, keyThumbprint);
      const principal = createPrincipal(caller, this.#settings.expand(caller.scopes ?? []));
      if (this.#settings.exposesToken) this.#tokens.set(principal, credentials.token);
      const known: KnownToken = { admission: this.#decide(principal), bound };
      const until = Math.min(expiresAt, now + Math.min(maxAge, MAX_KNOWN_MS));
      this.#known.set(header, known, until, JSON.stringify(principal).length, now);
      return known;
    } catch (error) {
      return this.#refuse(header, error);
    }
  }

  /** A bound token needs a proof, and a proof needs a bound token: otherwise a thief could choose the easier way. */
  async #bind({ scheme, token }: Credentials, keyThumbprint: string | undefined): Promise<BoundToken | undefined> {
    if (scheme === "Bearer") {
      if (keyThumbprint === undefined) return undefined;
      const hint = this.#dpop === undefined ? "; to accept such tokens, set the option `dpop`" : "";
      throw new TokenRefused(`it is bound to a key, and came without a proof${hint}`);
    }
    if (keyThumbprint === undefined) throw new TokenRefused("it came as a DPoP token, but is bound to no key");
    return { keyThumbprint, tokenHash: await hashText(token) };
  }

  #decide(principal: Principal): Admission {
    const { scopes } = this.#settings;
    if (scopes.every((scope) => principal.scopes?.includes(scope))) return Object.freeze({ principal });
    return this.#refusals.lacksScopes;
  }

  #refuse(header: string, error: unknown): Refused {
    const { diagnose } = this.#settings;
    if (error instanceof TokenRefused) {
      diagnose({ level: "info", message: `An access token was refused: ${error.message}.` });
      const now = Date.now();
      if (!error.mayChange) this.#refused.set(header, true, now + REFUSED_MS, 0, now);
      return this.#refusals.invalid;
    }
    diagnose({ level: "error", message: "An access token could not be verified; its caller got a 503.", error });
    return this.#refusals.unavailable;
  }

  async #checkProof(admission: Admission, bound: BoundToken, request: RequestHead): Promise<Admission> {
    try {
      const outcome = await this.#dpop!.check(request, bound);
      if (!outcome.isGood) return this.#refusals.wantsNonce(outcome.nonce);
      if (outcome.nextNonce === undefined || "refusal" in admission) return admission;
      return { ...admission, headers: ["DPoP-Nonce", outcome.nextNonce] };
    } catch (error) {
      const { diagnose } = this.#settings;
      if (error instanceof ProofRefused) {
        diagnose({ level: "info", message: `A DPoP proof was refused: ${error.message}.` });
        return error instanceof WrongKey ? this.#refusals.invalid : this.#refusals.invalidProof;
      }
      diagnose({ level: "error", message: "A DPoP proof could not be checked; its caller got a 503.", error });
      return this.#refusals.unavailable;
    }
  }
}
