import { AuthError } from "@toolwire/protocol";
import type { AuthFields, AuthRefusal, AuthRequest, AuthServer } from "../../transports/client-auth.ts";
import { type OAuthChallenge, readOAuthChallenge } from "../discovery/challenge.ts";
import type { TokenPlace } from "../discovery/discover.ts";
import { AuthNetwork } from "../network/network.ts";
import { Breaker } from "../store/breaker.ts";
import type { Grant } from "../store/records.ts";
import { SharedWork } from "../store/shared-work.ts";
import type { AccessOptions } from "./access-options.ts";
import { KeptGrant } from "./kept-grant.ts";
import { NewTokens } from "./new-tokens.ts";
import { isExpired } from "./renewal.ts";
import { NO_FIELDS, RequestFields, tokenOf } from "./request-fields.ts";
import { ScopeMemory } from "./scopes.ts";
import { placeOf, TokenPlaces } from "./token-places.ts";

/** The state of the access to a server. */
export type AccessState =
  /** There is no token: the first call that needs one gets one. */
  | "none"
  /** There is a token. */
  | "authorized"
  /** The token has ended, and the next call renews it. */
  | "expired"
  /** A token is being requested, or somebody is logging in. */
  | "renewing";

/** How far ahead of its end a token is renewed: a tenth of its life, but no more than a minute. */
const AHEAD_PART = 0.1;
const MOST_AHEAD_MS = 60_000;

/** The step in which tokens count their time, so that one may end that much earlier than its lifetime says. */
const CLOCK_STEP_MS = 1000;

/** How long a renewal ahead of time waits after one that failed. */
const AHEAD_RETRY_MS = 5_000;

/** The access of one provider to one server: which fields requests get, and what is done about refusals. */
export class ServerAccess {
  readonly #server: AuthServer;
  readonly #options: AccessOptions;
  #network: AuthNetwork;
  readonly #kept: KeptGrant;
  /** The last token that the server has accepted. */
  #accepted: string | undefined;
  #aheadAfter = 0;
  readonly #fields = new RequestFields();
  readonly #renewals = new SharedWork<void>();
  readonly #tokenRequests = new Breaker({ attempts: 5, what: "token requests" });
  readonly #scopes = new ScopeMemory();
  readonly #places: TokenPlaces;
  readonly #newTokens: NewTokens;

  constructor(server: AuthServer, options: AccessOptions) {
    const { url } = server;
    this.#server = server;
    this.#options = options;
    this.#network = new AuthNetwork(server, options.allowNetwork);
    const shared = { server: url, network: () => this.#network, tokenRequests: this.#tokenRequests };
    this.#kept = new KeptGrant({ ...options, ...shared });
    this.#places = new TokenPlaces(url, options, this.#scopes);
    const parts = { kept: this.#kept, places: this.#places, scopes: this.#scopes };
    this.#newTokens = new NewTokens({ access: options, ...parts, ...shared });
  }

  get state(): AccessState {
    if (this.#renewals.isRunning) return "renewing";
    const grant = this.#kept.current;
    if (grant === undefined) return "none";
    return isExpired(grant) ? "expired" : "authorized";
  }

  get grant(): Grant | undefined {
    return this.#kept.current;
  }

  /** Uses the `fetch` and the certificates of another connection from now on. */
  reachBy(server: AuthServer): void {
    this.#network = new AuthNetwork(server, this.#options.allowNetwork);
  }

  onAccount(listener: () => void): () => void {
    return this.#kept.onAccount(listener);
  }

  /** The fields of a request: at once, while there is a token that is not bound to a key. */
  prepare(request: AuthRequest): AuthFields | Promise<AuthFields> {
    const grant = this.#kept.current;
    if (grant === undefined) return this.#kept.isLoaded ? NO_FIELDS : this.#prepareLater(request);
    if (grant.expiresAt !== undefined) {
      const left = grant.expiresAt - Date.now();
      if (left <= 0) return this.#prepareLater(request);
      if (left < aheadOf(grant)) this.#renewAhead(grant);
    }
    return this.#fields.of(grant, this.#kept.key, request);
  }

  answered({ url }: AuthRequest, status: number, header: (name: string) => string | undefined, sent: AuthFields): void {
    this.#kept.key?.learnNonce(url.origin, header("dpop-nonce"));
    const token = tokenOf(sent);
    if (token === undefined || token === this.#accepted || !provesToken(status)) return;
    this.#accepted = token;
    this.#newTokens.proved();
  }

  async challenged(refusal: AuthRefusal, signal: AbortSignal): Promise<void> {
    const { status, header, sent, previous } = refusal;
    const challenge = readOAuthChallenge(header("www-authenticate"));
    const rejected = tokenOf(sent);
    if (status === 403) return this.#stepUp(refusal, challenge, rejected, signal);
    // The nonce was learned from the same response. A server that is not content with its own nonce gets no third proof.
    if (challenge.wantsNonce && this.#kept.key !== undefined && !previous.some(isNonceRefusal)) return;
    if (this.#kept.hasOther(rejected, tokensOf(previous))) return;
    await this.#renewals.run(signal, (stop) => this.#recover(rejected, challenge, stop));
  }

  /** Logs in, or requests a token, whether or not there is one. */
  async login(signal: AbortSignal | undefined): Promise<void> {
    await this.#kept.load();
    await this.#renewals.run(signal, async (stop) => {
      // The user may have come back from the login that this call would begin again.
      if (await this.#newTokens.resume(stop)) return;
      const challenge = readOAuthChallenge(await this.#network.askForChallenge(stop));
      const place = await this.#findPlace(challenge, stop);
      await this.#newTokens.obtain(place, this.#scopesFor(place, challenge), undefined, stop);
    });
  }

  /** Forgets the tokens. Returns the grant that there was, so that it can be revoked. */
  logout(): Promise<Grant | undefined> {
    this.#scopes.clear();
    return this.#kept.discard();
  }

  /** Forgets everything about the server, its registration included. */
  forget(): Promise<void> {
    this.#scopes.clear();
    return this.#kept.forget();
  }

  async #prepareLater(request: AuthRequest): Promise<AuthFields> {
    await this.#kept.load();
    const { source } = this.#options;
    const grant = this.#kept.current;
    if (grant === undefined && source.resume !== undefined) {
      await this.#renewals.run(undefined, async (stop) => void (await this.#newTokens.resume(stop)));
    }
    if (grant !== undefined && isExpired(grant)) {
      // Without a way to renew it, the server is asked without a token, and says what it wants.
      if (source.needsUser && grant.refreshToken === undefined) return NO_FIELDS;
      await this.#renewals.run(undefined, (stop) => this.#renew(grant, stop));
    }
    const current = this.#kept.current;
    return current === undefined || isExpired(current) ? NO_FIELDS : this.#fields.of(current, this.#kept.key, request);
  }

  /** Renews a token that still works, so that no call has to wait. A failure is left to the next call. */
  #renewAhead(grant: Grant): void {
    const canRenew = !this.#options.source.needsUser || grant.refreshToken !== undefined;
    if (!canRenew || this.#renewals.isRunning || performance.now() < this.#aheadAfter) return;
    this.#aheadAfter = performance.now() + Math.min(AHEAD_RETRY_MS, aheadOf(grant));
    this.#renewals.run(undefined, (stop) => this.#renew(grant, stop)).catch(() => {});
  }

  /** Renews a token without a user. */
  async #renew(grant: Grant, signal: AbortSignal): Promise<void> {
    this.#options.changed();
    if (this.#options.source.needsUser) {
      await this.#kept.refresh(grant, undefined, signal);
      return;
    }
    const place = placeOf(grant, await this.#kept.issuerOf(grant, signal));
    await this.#newTokens.obtain(place, grant.requested, grant.accessToken, signal);
  }

  /** Gets another token after the server has refused one, or wants one. The steps are those that cost least first. */
  async #recover(rejected: string | undefined, challenge: OAuthChallenge, signal: AbortSignal): Promise<void> {
    this.#options.changed();
    const kept = this.#kept;
    await kept.reload();
    if (kept.hasOther(rejected)) return;
    // A token that has ended meanwhile says nothing about the ones that follow.
    const hasEnded = kept.current !== undefined && endsWithin(kept.current, CLOCK_STEP_MS);
    const isUnproven = rejected !== undefined && rejected !== this.#accepted && !hasEnded;
    if (isUnproven && rejected === kept.issuedToken) throw this.#explainRejection();
    this.#tokenRequests.check();
    // A server that refuses a token may have moved to another authorization server.
    const place = await this.#findPlace(challenge, signal);
    const grant = kept.current;
    // A token of a refresh that was never accepted would be followed by another one like it.
    const isUseless = isUnproven && rejected === kept.refreshedToken;
    const mayRefresh = grant !== undefined && !isUseless && this.#places.suits(grant, place);
    if (mayRefresh && (await kept.refresh(grant, place.issuer, signal))) return;
    await this.#newTokens.obtain(place, this.#scopesFor(place, challenge), rejected, signal);
  }

  #findPlace(challenge: OAuthChallenge, signal: AbortSignal): Promise<TokenPlace> {
    return this.#places.find(this.#network, challenge, this.#kept.current, signal);
  }

  #scopesFor(place: TokenPlace, challenge: OAuthChallenge): readonly string[] | undefined {
    return this.#places.scopesFor(place, challenge, this.#kept.current);
  }

  /** Asks for more scopes. A refresh cannot widen a grant, so the user has to agree. */
  async #stepUp(
    refusal: AuthRefusal,
    challenge: OAuthChallenge,
    rejected: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const needed = challenge.scopes ?? [];
    const how = { challenge: refusal.header("www-authenticate"), scopes: needed };
    const place = refusal.request.url.origin;
    if (challenge.error !== "insufficient_scope" || needed.length === 0) {
      throw new AuthError("FORBIDDEN", `${place} does not allow this request with the token that it got.`, how);
    }
    if (this.#kept.hasOther(rejected, tokensOf(refusal.previous))) return;
    const requested = this.#kept.current?.requested ?? [];
    if (!this.#scopes.mayAsk(refusal, needed, requested)) {
      const message = `${place} wants the scopes ${needed.join(", ")} for this request, and the authorization server does not grant them.`;
      throw new AuthError("INSUFFICIENT_SCOPE", message, how);
    }
    await this.#renewals.run(signal, async (stop) => {
      this.#options.changed();
      const at = await this.#findPlace(challenge, stop);
      try {
        await this.#newTokens.obtain(at, this.#scopesFor(at, challenge), rejected, stop);
      } catch (error) {
        // Without a way to log in, nobody was asked.
        const isRefused = error instanceof AuthError && !["TEMPORARY", "LOGIN_REQUIRED"].includes(error.code);
        if (isRefused) this.#scopes.refused(needed);
        throw error;
      }
    });
  }

  #explainRejection(): AuthError {
    const { origin } = this.#server.url;
    const issuer = this.#kept.current?.issuer ?? "the authorization server";
    const message = `${origin} does not accept the token that ${issuer} has just issued for it.`;
    const advice = "One of them is set up wrongly: check the audience that the server expects.";
    const error = new AuthError("TOKEN_REJECTED", `${message} ${advice}`);
    this.#tokenRequests.open(error);
    this.#kept.issuedToken = undefined;
    return error;
  }
}

function endsWithin({ expiresAt = Infinity }: Grant, ms: number): boolean {
  return expiresAt - Date.now() < ms;
}

function aheadOf({ issuedAt, expiresAt = Infinity }: Grant): number {
  return Math.min((expiresAt - issuedAt) * AHEAD_PART, MOST_AHEAD_MS);
}

/** Whether a status says that the token is good. A redirect or a missing page may come from a gateway that read no token. */
function provesToken(status: number): boolean {
  return status === 101 || (status >= 200 && status <= 299) || status === 403;
}

/** The tokens that a request was sent with before. */
function tokensOf(previous: readonly AuthRefusal[]): readonly (string | undefined)[] {
  return previous.map(({ sent }) => tokenOf(sent));
}

function isNonceRefusal({ status, header }: AuthRefusal): boolean {
  return status === 401 && readOAuthChallenge(header("www-authenticate")).wantsNonce;
}
