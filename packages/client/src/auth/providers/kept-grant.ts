import { AuthError, ToolwireError } from "@toolwire/protocol";
import { refreshTokenGrantRequest } from "oauth4webapi";
import { type IssuerMetadata, isSameIssuer } from "../discovery/authorization-server.ts";
import { type DiscoveryRules, findKnownIssuer } from "../discovery/discover.ts";
import { authenticationOf } from "../grants/client-authentication.ts";
import { DpopKey } from "../grants/dpop.ts";
import { TokenRefused } from "../grants/token-refusal.ts";
import { requestTokens } from "../grants/token-request.ts";
import type { IssuedTokens } from "../grants/token-response.ts";
import type { AuthNetwork } from "../network/network.ts";
import type { AuthStore } from "../store/auth-store.ts";
import type { Breaker } from "../store/breaker.ts";
import { type Binding, type Grant, keyOf, locked, Slot } from "../store/records.ts";
import type { ObtainedTokens, TokenSource } from "./token-source.ts";

/** Everything that a grant depends on. */
export interface KeptGrantOptions {
  readonly server: URL;
  readonly network: () => AuthNetwork;
  readonly source: TokenSource;
  readonly store: AuthStore;
  readonly rules: DiscoveryRules;
  readonly account: string | undefined;
  readonly dpop: "auto" | "required" | false;
  /** Bounds token requests that are of no use. */
  readonly tokenRequests: Breaker;
  /** Called when there is another grant, or none any more. */
  changed(): void;
}

/**
 * The grant of one server, in memory and in the store. Other processes may use and renew the same grant: it is read again before
 * each renewal, renewed by one of them at a time, and only ever replaced by whoever knows its latest version.
 */
export class KeptGrant {
  /** The grant as it was last read or written. */
  current: Grant | undefined;
  /** The key that its tokens are bound to. */
  key: DpopKey | undefined;
  /** Whether the store was read. */
  isLoaded = false;
  /** The last token that was issued to a login or a machine, and the last one that was issued for a refresh token. */
  issuedToken: string | undefined;
  refreshedToken: string | undefined;
  readonly #options: KeptGrantOptions;
  readonly #binding: Slot<Binding>;
  #slot: Slot<Grant> | undefined;
  #loading: Promise<void> | undefined;
  readonly #accountListeners = new Set<() => void>();

  constructor(options: KeptGrantOptions) {
    this.#options = options;
    const { store, source, account, server } = options;
    this.#binding = new Slot(store, keyOf("server", server.href, source.name, account), ["issuer", "clientId"]);
  }

  /** Calls back when the grant is that of another login, and so perhaps of another user. */
  onAccount(listener: () => void): () => void {
    this.#accountListeners.add(listener);
    return () => void this.#accountListeners.delete(listener);
  }

  /** Reads the grant of the server for the first time. */
  load(): Promise<void> {
    if (this.isLoaded) return Promise.resolve();
    return (this.#loading ??= this.reload().then(
      () => {
        this.isLoaded = true;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    ));
  }

  /** Reads what is in the store now: another process may have renewed it. */
  async reload(): Promise<void> {
    const binding = await this.#binding.read();
    if (binding === undefined) return;
    this.#slot = this.#slotOf(binding);
    const grant = await this.#slot.read();
    if (grant === undefined || grant.accessToken === this.current?.accessToken) return;
    // Tokens of an authorization server that was configured before cannot be renewed, and are of no use.
    const { rules } = this.#options;
    const only = rules.pinned?.issuer ?? grant.issuer;
    if (isSameIssuer(grant.issuer, only, rules)) await this.#adopt(grant);
  }

  /** Whether another token than the rejected one is there, which has not been tried yet. */
  hasOther(rejected: string | undefined, tried: readonly (string | undefined)[] = []): boolean {
    const grant = this.current;
    if (grant === undefined || grant.accessToken === rejected || isExpired(grant)) return false;
    return !tried.includes(grant.accessToken);
  }

  /** Runs work that gets new tokens, while no other process does so for this server. */
  whileOthersWait<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return locked(this.#options.store, this.#binding.key, signal, work);
  }

  /** Keeps new tokens. */
  async keep({ tokens, clientId, scopes, dpop, place }: ObtainedTokens): Promise<void> {
    const { issuer, resource, isGuessed } = place;
    const isBound = tokens.tokenType === "DPoP" && dpop !== undefined;
    const grant: Grant = {
      issuer: issuer.issuer,
      clientId,
      resource,
      requested: scopes,
      login: crypto.randomUUID(),
      ...(isGuessed && { guessedEndpoint: issuer.token_endpoint }),
      ...this.#read(tokens, issuer.issuer, undefined),
      ...(isBound && { dpopKey: await dpop.write() }),
    };
    const slot = (this.#slot = this.#slotOf(grant));
    this.issuedToken = grant.accessToken;
    await this.#save(grant, dpop, async () => {
      await slot.read();
      await slot.write(grant, () => true);
      await this.#binding.read();
      await this.#binding.write({ issuer: grant.issuer, clientId, resource }, () => true);
    });
  }

  /**
   * Refreshes the grant. Resolves to whether there is a token now. One process does it at a time, with the refresh token that is
   * in the store then; and once the request is sent, its response is waited for: it may hold the only refresh token that works.
   */
  async refresh(grant: Grant, known: IssuerMetadata | undefined, signal: AbortSignal): Promise<boolean> {
    const slot = (this.#slot ??= this.#slotOf(grant));
    return locked(this.#options.store, slot.key, signal, async () => {
      const current = await slot.read();
      if (current !== undefined && current.accessToken !== grant.accessToken && !isExpired(current)) {
        await this.#adopt(current);
        return true;
      }
      const { source, tokenRequests } = this.#options;
      if (current?.refreshToken === undefined) return false;
      const issuer = known ?? (await this.issuerOf(current, signal));
      const client = await source.clientOf(issuer, current.clientId);
      if (client === undefined) return false;
      tokenRequests.check();
      tokenRequests.attempted();
      try {
        const tokens = await this.#requestRefresh(current, issuer, authenticationOf(issuer, client));
        const next: Grant = { ...current, ...this.#read(tokens, current.issuer, current) };
        this.refreshedToken = next.accessToken;
        // A grant that was written meanwhile, without the lock, is replaced if it is older.
        const write = (): Promise<unknown> =>
          slot.write(next, (other) => other === undefined || other.issuedAt <= next.issuedAt);
        await this.#save(next, this.key, write);
        return true;
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        tokenRequests.failed(error);
        // A login does not mend the credentials of the application, so its tokens are kept until they are right.
        if (error.reason === "invalid_client" && client.origin !== "dynamic") throw error;
        return this.#lose(slot, current, error);
      }
    });
  }

  /** Forgets the tokens. Returns the grant that there was, so that it can be revoked. */
  async discard(): Promise<Grant | undefined> {
    await this.load();
    const slot = this.#slot;
    if (slot === undefined) return undefined;
    // A refresh that is under way is waited for: it would keep its new tokens afterwards, and nobody would revoke them.
    return locked(this.#options.store, slot.key, undefined, async () => {
      const grant = (await slot.read()) ?? this.current;
      await slot.write(undefined, () => true);
      this.#drop();
      return grant;
    });
  }

  /** Forgets everything about the server. */
  async forget(): Promise<void> {
    const known = (await this.discard()) ?? (await this.#binding.read());
    await this.#binding.read();
    await this.#binding.write(undefined, () => true);
    if (known !== undefined) await this.#options.source.forgetClient(known.issuer, known.clientId);
  }

  /** The metadata of the issuer of a grant. */
  async issuerOf({ issuer, guessedEndpoint }: Grant, signal: AbortSignal | undefined): Promise<IssuerMetadata> {
    if (guessedEndpoint !== undefined) return { issuer, token_endpoint: guessedEndpoint };
    return findKnownIssuer(this.#options.network(), issuer, this.#options.rules, signal);
  }

  async #requestRefresh(
    grant: Grant,
    issuer: IssuerMetadata,
    authenticate: ReturnType<typeof authenticationOf>,
  ): Promise<IssuedTokens> {
    const { resource, refreshToken, clientId } = grant;
    // Refresh tokens of public clients are bound to the key as well (RFC 9449, 5). The nonces are with the key that is in use.
    const bound = grant.tokenType === "DPoP" ? (this.key ?? (await DpopKey.read(grant.dpopKey))) : undefined;
    const client = { id: clientId, origin: "configured" as const };
    const { fetch } = this.#options.network();
    return requestTokens({ issuer, client, fetch, resource, dpop: bound, signal: undefined }, (asked, options) =>
      refreshTokenGrantRequest(issuer, asked, authenticate, refreshToken!, options),
    );
  }

  /** A refresh token was refused. Its grant is dropped, unless somebody else has a newer one by now. */
  async #lose(slot: Slot<Grant>, grant: Grant, error: TokenRefused): Promise<boolean> {
    if (!error.isAboutClient && error.reason !== "invalid_grant") throw error;
    const isDropped = await slot.write(undefined, (other) => other?.refreshToken === grant.refreshToken);
    const newer = isDropped ? undefined : await slot.read();
    if (newer !== undefined) {
      await this.#adopt(newer);
      return true;
    }
    this.#drop();
    if (error.isAboutClient) await this.#options.source.forgetClient(grant.issuer, grant.clientId);
    return false;
  }

  /** Uses new tokens, and keeps them. If the store fails, they are used all the same, and the caller is told. */
  async #save(grant: Grant, key: DpopKey | undefined, write: () => Promise<unknown>): Promise<void> {
    await this.#adopt(grant, key);
    try {
      await write();
    } catch (error) {
      if (error instanceof ToolwireError) throw error;
      const message = `The store cannot keep the new tokens: ${(error as Error).message}. They are used until this program ends.`;
      throw new AuthError("TEMPORARY", message, { cause: error });
    }
  }

  /** The parts of a grant that come with new tokens, whether by a login or by a refresh. */
  #read(tokens: IssuedTokens, issuer: string, before: Grant | undefined): NewParts {
    const { accessToken, tokenType, refreshToken, granted, lifetime } = tokens;
    if (this.#options.dpop === "required" && tokenType !== "DPoP") {
      const message = `The authorization server ${issuer} issues no tokens that are bound to a key, which \`dpop: "required"\` asks for.`;
      throw new AuthError("UNSUPPORTED_SERVER", message);
    }
    const issuedAt = Date.now();
    return {
      accessToken,
      tokenType,
      // A response without a refresh token leaves the old one valid (RFC 6749, 6).
      refreshToken: refreshToken ?? before?.refreshToken,
      granted: granted ?? before?.granted,
      issuedAt,
      expiresAt: lifetime === undefined ? undefined : issuedAt + lifetime * 1000,
    };
  }

  #slotOf({ issuer, clientId, resource }: Binding): Slot<Grant> {
    const { store, account } = this.#options;
    const texts = ["issuer", "clientId", "accessToken", "tokenType", "login"] as const;
    return new Slot(store, keyOf("grant", issuer, clientId, resource, account), texts);
  }

  async #adopt(grant: Grant, key?: DpopKey): Promise<void> {
    const before = this.current;
    const isSameKey = before?.login === grant.login ? this.key : undefined;
    this.key = grant.tokenType === "DPoP" ? (key ?? isSameKey ?? (await DpopKey.read(grant.dpopKey))) : undefined;
    this.current = grant;
    if (before !== undefined && before.login !== grant.login) for (const listener of this.#accountListeners) listener();
    this.#options.changed();
  }

  #drop(): void {
    this.current = undefined;
    this.#options.changed();
  }
}

type NewParts = Omit<Grant, "issuer" | "clientId" | "login">;

/** Whether the access token of a grant has ended. */
export function isExpired({ expiresAt }: Grant): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}
