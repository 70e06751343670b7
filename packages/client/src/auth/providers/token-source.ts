import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import type { TokenPlace } from "../discovery/discover.ts";
import type { KnownClient } from "../grants/client-authentication.ts";
import type { DpopKey } from "../grants/dpop.ts";
import type { IssuedTokens } from "../grants/token-response.ts";
import type { AuthNetwork } from "../network/network.ts";
import type { GrantOwner } from "../store/records.ts";

/** A wish for new tokens. */
export interface TokenWish {
  readonly server: URL;
  readonly network: AuthNetwork;
  readonly place: TokenPlace;
  readonly scopes: readonly string[] | undefined;
  /** Makes the key that tokens are bound to; `undefined` if they are not to be bound. */
  readonly dpop: (() => Promise<DpopKey>) | undefined;
  /** Aborts when nobody waits for the tokens any more. What was sent to a token endpoint is waited for all the same. */
  readonly signal: AbortSignal;
}

/** New tokens, and whose they are. */
export interface ObtainedTokens {
  readonly tokens: IssuedTokens;
  readonly clientId: string;
  readonly scopes: readonly string[] | undefined;
  readonly dpop: DpopKey | undefined;
  /** Where they came from, if that was another place than the wish had. */
  readonly place: Pick<TokenPlace, "issuer" | "resource" | "isGuessed">;
}

/** A way to get tokens: a login, or the credentials of a machine. */
export interface TokenSource {
  /** Tells grants of this source from those of others in the same store. */
  readonly identity: GrantOwner["identity"];
  /** Whether a user has to do something, so that tokens are refreshed rather than requested anew. */
  readonly needsUser: boolean;
  /** The issuers that it has dealt with before, or whose credentials it has. */
  knownIssuers(candidates?: readonly string[]): readonly string[];
  /** Gets new tokens. */
  obtain(wish: TokenWish): Promise<ObtainedTokens>;
  /** Finishes a login that another page has begun. */
  resume?(wish: Omit<TokenWish, "place" | "scopes">, findIssuer: FindIssuer): Promise<ObtainedTokens | undefined>;
  /** The client that tokens were issued to; `undefined` if it is not known any more. */
  clientOf(issuer: IssuerMetadata, clientId: string): Promise<KnownClient | undefined>;
  /** Forgets a registration that the authorization server does not know any more. */
  forgetClient(issuer: string, clientId: string): Promise<void>;
}

/** Reads the metadata of an issuer. */
export type FindIssuer = (issuer: string) => Promise<IssuerMetadata>;
