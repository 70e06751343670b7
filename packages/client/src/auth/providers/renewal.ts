import { ToolwireError } from "@toolwire/protocol";
import { refreshTokenGrantRequest } from "oauth4webapi";
import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import { authenticationOf, type KnownClient } from "../grants/client-authentication.ts";
import type { DpopKey } from "../grants/dpop.ts";
import { revokeGrant } from "../grants/revocation.ts";
import { TokenRefused } from "../grants/token-refusal.ts";
import { requestTokens } from "../grants/token-request.ts";
import type { IssuedTokens } from "../grants/token-response.ts";
import type { AuthNetwork } from "../network/network.ts";
import type { Breaker } from "../store/breaker.ts";
import type { Grant, Slot } from "../store/records.ts";
import type { TokenSource } from "./token-source.ts";

/** The parts of a grant that come with new tokens. */
export type RenewedParts = Omit<Grant, "issuer" | "clientId" | "login">;

/** The grant that is renewed, and what becomes of it. */
export interface RenewalOptions {
  readonly source: TokenSource;
  readonly tokenRequests: Breaker;
  readonly network: () => AuthNetwork;
  readonly slot: Slot<Grant>;
  issuerOf(grant: Grant, signal: AbortSignal): Promise<IssuerMetadata>;
  keyOf(grant: Grant): Promise<DpopKey | undefined>;
  read(tokens: IssuedTokens, before: Grant): RenewedParts;
  /** A token was issued for a refresh token. */
  requested(accessToken: string): void;
  /** Uses new tokens, and writes them. */
  save(grant: Grant, key: DpopKey | undefined, write: () => Promise<unknown>): Promise<void>;
  /** Uses the tokens of the store. */
  adopt(grant: Grant): Promise<void>;
  /** Uses no tokens any more. */
  drop(): void;
}

/**
 * One renewal of a grant by its refresh token, which most authorization servers accept once. It runs under a lock, and counts itself
 * in the grant all the same before it sends anything: a process that is stopped for longer than its lock lasts finds out that way.
 */
export class Renewal {
  readonly #options: RenewalOptions;

  constructor(options: RenewalOptions) {
    this.#options = options;
  }

  /** Resolves to whether there is a token now, or to `undefined` if another process renews the grant as well. */
  async run(
    grant: Grant,
    known: IssuerMetadata | undefined,
    signal: AbortSignal,
    isHeld: () => Promise<boolean> = async () => true,
  ): Promise<boolean | undefined> {
    const { source, tokenRequests, slot } = this.#options;
    const current = await slot.read();
    if (current !== undefined && current.accessToken !== grant.accessToken && !isExpired(current)) {
      await this.#options.adopt(current);
      return true;
    }
    if (current?.refreshToken === undefined) return false;
    const issuer = known ?? (await this.#options.issuerOf(current, signal));
    const client = await source.clientOf(issuer, current.clientId);
    if (client === undefined) return false;
    tokenRequests.check();
    const claimed = await this.#claim(current);
    // A process that was stopped may have lost the lock. Then somebody else may be about to send the same refresh token.
    if (claimed === undefined || !(await isHeld())) return undefined;
    tokenRequests.attempted();
    try {
      const key = await this.#options.keyOf(claimed);
      const tokens = await this.#request(claimed, issuer, client, key);
      const next: Grant = { ...claimed, ...this.#options.read(tokens, claimed) };
      this.#options.requested(next.accessToken);
      return await this.#keep(claimed, next, key, issuer, client);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      tokenRequests.failed(error);
      // A login does not mend the credentials of the application, so its tokens are kept until they are right.
      if (error.reason === "invalid_client" && client.origin !== "dynamic") throw error;
      return this.#lose(claimed, error);
    }
  }

  /** Counts this renewal in the store. Resolves to `undefined` if somebody else has changed the grant since it was read. */
  async #claim(grant: Grant): Promise<Grant | undefined> {
    const { slot } = this.#options;
    const claimed: Grant = { ...grant, renewal: (grant.renewal ?? 0) + 1 };
    try {
      if (!(await slot.write(claimed, () => false))) return undefined;
    } catch (error) {
      if (error instanceof ToolwireError) throw error;
      // A store that is broken keeps nobody from working: the new tokens are used, and the caller is told that they are not kept.
      return grant;
    }
    const { login, renewal } = (await slot.read()) ?? {};
    return login === claimed.login && renewal === claimed.renewal ? claimed : undefined;
  }

  async #request(
    { resource, refreshToken, clientId }: Grant,
    issuer: IssuerMetadata,
    known: KnownClient,
    dpop: DpopKey | undefined,
  ): Promise<IssuedTokens> {
    const client = { id: clientId, origin: "configured" as const };
    const { fetch } = this.#options.network();
    return requestTokens({ issuer, client, fetch, resource, dpop, signal: undefined }, (asked, options) =>
      refreshTokenGrantRequest(issuer, asked, authenticationOf(issuer, known), refreshToken!, options),
    );
  }

  /** Keeps new tokens, unless the user has logged out meanwhile, or logged in again, or a later renewal was faster. */
  async #keep(
    claimed: Grant,
    next: Grant,
    key: DpopKey | undefined,
    issuer: IssuerMetadata,
    client: KnownClient,
  ): Promise<boolean> {
    const { slot, network } = this.#options;
    let isKept = true;
    await this.#options.save(next, key, async () => {
      isKept = await slot.write(next, (other) => isEarlier(other, claimed));
    });
    if (isKept) return true;
    const other = await slot.read();
    if (other?.login !== next.login) {
      // Nobody else knows the new tokens, so nobody else would revoke them. They end by themselves if this fails.
      await revokeGrant(next, issuer, client, network().fetch).catch(() => undefined);
    }
    if (other === undefined) this.#options.drop();
    else await this.#options.adopt(other);
    return other !== undefined;
  }

  /**
   * The refresh token was refused. Its grant is dropped, unless somebody else has a newer one by now. A later renewal with the same
   * token, which may have been the reason for the refusal, is waited for.
   */
  async #lose(claimed: Grant, error: TokenRefused): Promise<boolean | undefined> {
    if (!error.isAboutClient && error.reason !== "invalid_grant") throw error;
    const { slot, source } = this.#options;
    const isSame = (other: Grant | undefined): boolean => other?.refreshToken === claimed.refreshToken;
    const isDropped = await slot.write(undefined, (other) => isSame(other) && renewalOf(other) <= renewalOf(claimed));
    const newer = isDropped ? undefined : await slot.read();
    if (newer !== undefined && isSame(newer)) return undefined;
    if (newer !== undefined) {
      await this.#options.adopt(newer);
      return true;
    }
    this.#options.drop();
    if (error.isAboutClient) await source.forgetClient(claimed.issuer, claimed.clientId);
    return false;
  }
}

/** Whether a grant is what a renewal may replace: that of the same login, with the same refresh token or from an earlier renewal. */
function isEarlier(other: Grant | undefined, claimed: Grant): boolean {
  if (other?.login !== claimed.login) return false;
  return other.refreshToken === claimed.refreshToken || renewalOf(other) < renewalOf(claimed);
}

function renewalOf(grant: Grant | undefined): number {
  return grant?.renewal ?? 0;
}

/** Whether the access token of a grant has ended. */
export function isExpired({ expiresAt }: Grant): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}
