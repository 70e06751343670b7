import { AuthError, ToolwireError } from "@toolwire/protocol";
import { type IssuerMetadata, isSameIssuer } from "../discovery/authorization-server.ts";
import { type DiscoveryRules, findKnownIssuer } from "../discovery/discover.ts";
import { DpopKey } from "../grants/dpop.ts";
import type { IssuedTokens } from "../grants/token-response.ts";
import type { AuthNetwork } from "../network/network.ts";
import type { AuthStore } from "../store/auth-store.ts";
import type { Breaker } from "../store/breaker.ts";
import { type Binding, type Grant, grantKey, keyOf, locked, Slot } from "../store/records.ts";
import { isExpired, Renewal, type RenewedParts } from "./renewal.ts";
import type { ObtainedTokens, TokenSource } from "./token-source.ts";

/** How often a renewal is begun anew because another process has begun one. */
const MAX_RENEWALS = 10;

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
    this.#binding = new Slot(store, keyOf("server", server.href, ...source.identity, account), ["issuer", "clientId"]);
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
    for (let attempt = 0; attempt < MAX_RENEWALS; attempt += 1) {
      const isDone = await locked(this.#options.store, slot.key, signal, (isHeld) =>
        this.#renewal(slot).run(grant, known, signal, isHeld),
      );
      if (isDone !== undefined) return isDone;
    }
    throw new AuthError("TEMPORARY", "Others renew the same token all the time. Try again later.");
  }

  /** Forgets the tokens. Returns the grant that there was, so that it can be revoked. */
  async discard(): Promise<Grant | undefined> {
    await this.load();
    const slot = this.#slot;
    if (slot === undefined) return undefined;
    // A refresh that is under way is waited for: it would keep its new tokens afterwards, and nobody would revoke them.
    return locked(this.#options.store, slot.key, undefined, async () => {
      let grant = (await slot.read()) ?? this.current;
      await slot.write(undefined, (other) => {
        grant = other ?? grant;
        return true;
      });
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

  #renewal(slot: Slot<Grant>): Renewal {
    const { source, tokenRequests, network } = this.#options;
    return new Renewal({
      source,
      tokenRequests,
      network,
      slot,
      issuerOf: (...given) => this.issuerOf(...given),
      keyOf: (grant) => this.#keyOf(grant),
      read: (tokens, current) => this.#read(tokens, current.issuer, current),
      requested: (token) => {
        this.refreshedToken = token;
      },
      save: (...given) => this.#save(...given),
      adopt: (grant) => this.#adopt(grant),
      drop: () => this.#drop(),
    });
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
  #read(tokens: IssuedTokens, issuer: string, before: Grant | undefined): RenewedParts {
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

  #slotOf(binding: Binding): Slot<Grant> {
    const { store, source, account, server } = this.#options;
    const texts = ["issuer", "clientId", "accessToken", "tokenType", "login"] as const;
    return new Slot(store, grantKey({ identity: source.identity, account }, binding, server), texts);
  }

  /** The key that the tokens of a grant are bound to. The one in use keeps the nonces that servers have given for it. */
  async #keyOf(grant: Grant): Promise<DpopKey | undefined> {
    if (grant.tokenType !== "DPoP") return undefined;
    return (this.current?.login === grant.login ? this.key : undefined) ?? DpopKey.read(grant.dpopKey);
  }

  async #adopt(grant: Grant, key?: DpopKey): Promise<void> {
    const before = this.current;
    this.key = grant.tokenType === "DPoP" && key !== undefined ? key : await this.#keyOf(grant);
    this.current = grant;
    if (before !== undefined && before.login !== grant.login) for (const listener of this.#accountListeners) listener();
    this.#options.changed();
  }

  #drop(): void {
    this.current = undefined;
    // The next login may be that of another user, who must not be recognized by the same key.
    this.key = undefined;
    this.#options.changed();
  }
}
