import { AuthError, UsageError } from "@toolwire/protocol";
import { readServerUrl } from "../../server-url.ts";
import {
  type AuthRefusal,
  type AuthRequest,
  type AuthServer,
  type ClientAuth,
  httpUrlOf,
} from "../../transports/client-auth.ts";
import { findKnownIssuer } from "../discovery/discover.ts";
import { revokeGrant } from "../grants/revocation.ts";
import { AuthNetwork } from "../network/network.ts";
import type { Grant } from "../store/records.ts";
import type { AccessOptions } from "./access-options.ts";
import { type AccessState, ServerAccess } from "./server-access.ts";

/** The state of the access to a server. It holds no secrets. */
export interface AuthStatus {
  readonly state: AccessState;
  /** The authorization server that has issued the token. */
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  /** The resource that the token is for. */
  readonly resource?: string | undefined;
  /** The scopes of the token, as far as they are known. */
  readonly scopes?: readonly string[] | undefined;
  /** When the token ends; it is renewed before. */
  readonly expiresAt?: Date | undefined;
  /** Whether the token can be renewed without a user. */
  readonly canRefresh?: boolean | undefined;
}

/** A change of the access to a server. */
export interface AuthChange extends AuthStatus {
  readonly server: URL;
}

/** Options of a logout. */
export interface LogoutOptions {
  /** How the network is reached, if no connection was made before. */
  readonly http?: AuthServer["http"] | undefined;
}

/** Options of a login that the application starts itself. */
export interface LoginOptions extends LogoutOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Credentials that are requested of authorization servers, and kept. One object may serve any number of connections. The
 * server can be left out where the object has served only one.
 */
export interface TokenAuth extends ClientAuth {
  /** Logs in now, rather than with the first call that needs it. */
  login(server?: string | URL, options?: LoginOptions): Promise<void>;
  /** Forgets the tokens, and revokes them where the authorization server can. */
  logout(server?: string | URL, options?: LogoutOptions): Promise<void>;
  /** Forgets the tokens and the registration of this client. */
  forget(server?: string | URL): Promise<void>;
  status(server?: string | URL): AuthStatus;
  /** Calls back when the state of the access to a server changes. Returns a function that ends this. */
  onChange(listener: (change: AuthChange) => void): () => void;
}

/** Makes credentials from a source of tokens. */
export function createTokenAuth(
  options: Omit<AccessOptions, "changed">,
  extensions?: ClientAuth["extensions"],
): TokenAuth {
  return new SourcedAuth(options, extensions);
}

class SourcedAuth implements TokenAuth {
  readonly extensions: ClientAuth["extensions"];
  readonly #options: Omit<AccessOptions, "changed">;
  readonly #accesses = new Map<string, { readonly access: ServerAccess; readonly server: AuthServer }>();
  readonly #listeners = new Set<(change: AuthChange) => void>();
  /** The server of the last request: looking it up by its text takes longer. */
  #lastServer: AuthServer | undefined;
  #lastAccess: ServerAccess | undefined;

  constructor(options: Omit<AccessOptions, "changed">, extensions: ClientAuth["extensions"]) {
    this.#options = options;
    this.extensions = extensions;
  }

  prepare(request: AuthRequest): ReturnType<ClientAuth["prepare"]> {
    return this.#accessTo(request.server).prepare(request);
  }

  answered(...[request, status, header, sent]: Parameters<NonNullable<ClientAuth["answered"]>>): void {
    this.#accessTo(request.server).answered(request, status, header, sent);
  }

  challenged(refusal: AuthRefusal, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    return this.#accessTo(refusal.request.server).challenged(refusal, signal);
  }

  onAccount(server: AuthServer, listener: () => void): () => void {
    return this.#accessTo(server).onAccount(listener);
  }

  async login(server?: string | URL, options: LoginOptions = {}): Promise<void> {
    await this.#find(server, options.http).access.login(options.signal);
  }

  async logout(server?: string | URL, options: LogoutOptions = {}): Promise<void> {
    const found = this.#find(server, options.http);
    const grant = await found.access.logout();
    if (grant !== undefined) await this.#revoke(grant, found.server);
  }

  async forget(server?: string | URL): Promise<void> {
    await this.#find(server).access.forget();
  }

  status(server?: string | URL): AuthStatus {
    return statusOf(this.#find(server).access);
  }

  onChange(listener: (change: AuthChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #accessTo(server: AuthServer): ServerAccess {
    if (server === this.#lastServer) return this.#lastAccess!;
    const key = keyOfUrl(server.url);
    let entry = this.#accesses.get(key);
    if (entry === undefined) {
      const access: ServerAccess = new ServerAccess(server, {
        ...this.#options,
        changed: () => this.#tell({ server: server.url, ...statusOf(access) }),
      });
      entry = { access, server };
      this.#accesses.set(key, entry);
    } else if (hasOptions(server) && server.http !== entry.server.http) {
      // The server was only asked about before, or another connection reaches it in another way.
      entry.access.reachBy(server);
      entry = { ...entry, server };
      this.#accesses.set(key, entry);
    }
    this.#lastServer = server;
    this.#lastAccess = entry.access;
    return entry.access;
  }

  #find(
    server: string | URL | undefined,
    http: AuthServer["http"] = {},
  ): { readonly access: ServerAccess; readonly server: AuthServer } {
    if (server !== undefined) {
      const url = readUrl(server);
      this.#accessTo({ url, http });
      return this.#accesses.get(keyOfUrl(url))!;
    }
    const [only, ...others] = this.#accesses.values();
    if (only !== undefined && others.length === 0) return only;
    const count = only === undefined ? "no server yet" : `${others.length + 1} servers`;
    throw new UsageError("INVALID_ARGUMENT", `This object has served ${count}: say which server is meant, by its URL.`);
  }

  #tell(change: AuthChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // A listener must not disturb the login.
      }
    }
  }

  /** Revokes the tokens of a grant (RFC 7009). They are forgotten here whether or not that succeeds. */
  async #revoke(grant: Grant, server: AuthServer): Promise<void> {
    const { rules, source, allowNetwork } = this.#options;
    const network = new AuthNetwork(server, allowNetwork);
    try {
      const issuer = await findKnownIssuer(network, grant.issuer, rules, undefined);
      const client = await source.clientOf(issuer, grant.clientId);
      if (client !== undefined) await revokeGrant(grant, issuer, client, network.fetch);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (!(error instanceof AuthError) || error.code === "TEMPORARY") {
        const message = `The tokens are forgotten here, but ${grant.issuer} could not revoke them.`;
        throw new AuthError("TEMPORARY", message);
      }
    }
  }
}

function statusOf({ state, grant }: ServerAccess): AuthStatus {
  if (grant === undefined) return { state };
  const { issuer, clientId, resource, granted, requested, expiresAt, refreshToken } = grant;
  return {
    state,
    issuer,
    clientId,
    resource,
    scopes: granted ?? requested,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    canRefresh: refreshToken !== undefined,
  };
}

function readUrl(server: string | URL): URL {
  return httpUrlOf(readServerUrl(server, ["http:", "https:", "ws:", "wss:"]));
}

function keyOfUrl({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search}`;
}

function hasOptions({ http }: AuthServer): boolean {
  return http.fetch !== undefined || http.connect !== undefined;
}
