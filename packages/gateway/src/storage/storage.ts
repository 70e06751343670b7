import type { AuthStore } from "@toolwire/client/auth";
import { UsageError } from "@toolwire/protocol";
import type { ServerConfig } from "../config/config.ts";
import type { CallLog } from "../log/call-log.ts";
import type { Database } from "../log/database/database.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Secret } from "../secrets/secret.ts";

/** An API key of the gateway, without the key itself, which only its owner has. */
export interface ApiKey {
  readonly id: string;
  /** Its purpose, in the words of the person who made it. */
  readonly name: string;
  /** The first characters, to recognise it by: `twk_a1b2c3`. */
  readonly prefix: string;
  /** The slugs it opens; `undefined` for all. */
  readonly servers?: readonly string[] | undefined;
  /** The caller that it stands for; `undefined`: its own id. Several keys of one caller share their credentials and limits. */
  readonly principal?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly lastUsedAt?: number | undefined;
}

/** The API keys of the gateway. Kept in memory by digest, so that checking one costs no query. */
export interface KeyStore {
  /** Makes a key. The returned `secret` is shown once and kept nowhere. */
  create(options: {
    readonly name: string;
    readonly servers?: readonly string[] | undefined;
    readonly principal?: string | undefined;
    readonly expiresAt?: number | undefined;
  }): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Finds the key that a caller presents; `undefined` if it does not exist, was revoked or has expired. */
  find(secret: string): ApiKey | undefined;
  list(): readonly ApiKey[];
  revoke(id: string): Promise<boolean>;
}

/** Sealed secrets: shared by all callers, or of one principal. Values go in, and come out only for requests to APIs. */
export interface SecretStore {
  set(name: string, value: string, principal?: string): Promise<void>;
  /** The value for a request; `undefined` if it is not set. From memory: costs no query. */
  get(name: string, principal?: string): Secret | undefined;
  /** Names and times, never values. */
  list(): readonly { readonly name: string; readonly principal?: string | undefined; readonly updatedAt: number }[];
  remove(name: string, principal?: string): Promise<boolean>;
  /** Seals the data keys of all secrets and grants with the first key-encryption key. Returns how many were sealed anew. */
  rotate(): Promise<number>;
}

/** A server that was made through the admin API. */
export interface StoredServer {
  readonly slug: string;
  readonly config: ServerConfig;
  /** Increases with every change. A change must name the revision that it was made of. */
  readonly revision: number;
  readonly updatedAt: number;
}

/** The servers that were made through the admin API. Those of the configuration file are not in it. */
export interface ServerStore {
  list(): readonly StoredServer[];
  /** Writes a server. `revision` is the one that was read, or 0 for a new server. Throws a `UsageError` if it has changed since. */
  put(slug: string, config: ServerConfig, revision: number): Promise<StoredServer>;
  remove(slug: string, revision: number): Promise<boolean>;
}

/** The error of {@link ServerStore} for a change of a revision that is no longer the current one. */
export function revisionConflict(slug: string, revision: number): UsageError {
  const message =
    revision === 0
      ? `The server ${slug} exists already. Read it, and name its revision to change it.`
      : `The server ${slug} is not at revision ${revision} any more. Read it again, and repeat the change on what it is now.`;
  return new UsageError("INVALID_STATE", message);
}

/** One change that somebody made through the admin API or the command line. */
export interface AuditEntry {
  readonly at: number;
  /** The author of the change: `admin`, `cli`, or the id of a principal. */
  readonly actor: string;
  /** Such as `server.put`, `key.create`, `secret.set`. */
  readonly action: string;
  /** The slug, the id of a key or the name of a secret. Never a value. */
  readonly subject: string;
}

/** Which tools of upstreams somebody has accepted: fingerprints by the name of a tool. */
export interface AcceptedToolStore {
  /** `undefined` if nothing was ever accepted. `upstream` identifies the upstream within the server. */
  get(server: string, upstream: string): Promise<{ readonly [tool: string]: string } | undefined>;
  set(server: string, upstream: string, tools: { readonly [tool: string]: string }): Promise<void>;
}

/** The owner of tokens: one caller of an upstream, or all of them together. */
export interface GrantOwner {
  /** The slug of the server. */
  readonly server: string;
  readonly upstream: string;
  /** `undefined` for tokens that all callers share. */
  readonly principal: string | undefined;
}

/** Tokens that somebody has got by a login at an upstream, as they are listed: never with their values. */
export interface GrantEntry extends GrantOwner {
  /** When the owner logged in, in milliseconds since 1970. */
  readonly since: number;
  /** Changes with every login and renewal. */
  readonly version: string;
}

/** Sealed tokens of logins at upstreams, and the registrations of the gateway there. All gateways on a database share them. */
export interface GrantStore {
  /** The values of one owner. Registrations are those of all callers of the upstream. */
  open(owner: GrantOwner): AuthStore;
  /** Lists logins: all of them, those at one upstream, or that of one owner. */
  list(of?: Pick<GrantOwner, "server" | "upstream"> | GrantOwner): Promise<readonly GrantEntry[]>;
  /** Forgets the tokens of an owner. Returns whether there were any. */
  remove(owner: GrantOwner): Promise<boolean>;
}

/** Logins that somebody has begun, or may begin: each is used once, soon, and by whoever knows its id. */
export interface PendingLoginStore {
  /** Keeps a value under a secret id. The first word of the id says what it is: of one owner, the newest few of each kind are kept. */
  put(id: string, owner: GrantOwner, value: string, expiresAt: number): Promise<void>;
  /** The value, which stays. `undefined` if there is none, or it has expired. */
  read(id: string): Promise<string | undefined>;
  /** Takes the value out: of several who try at once, one gets it. */
  take(id: string): Promise<string | undefined>;
}

/** A login to the page: the name of whoever has logged in, and when it ends at the latest. */
export interface PageLogin {
  readonly name: string;
  readonly expiresAt: number;
}

/** Logins to the page that all gateways on a database share. Ids and codes are secrets, of which only digests are kept. */
export interface PageLoginStore {
  /** Keeps a session until `login.expiresAt`, or until then if nobody uses it. */
  openSession(id: string, login: PageLogin, until: number): Promise<void>;
  /** Finds a session, and keeps it until then. */
  useSession(id: string, until: number): Promise<PageLogin | undefined>;
  closeSession(id: string): Promise<void>;
  /** Keeps a code that logs somebody in once. */
  addCode(code: string, until: number): Promise<void>;
  /** Takes a code out: of several who try at once, one gets true. */
  takeCode(code: string): Promise<boolean>;
  /** Notes what must not happen again until then. Returns whether it had not happened. */
  claim(id: string, until: number): Promise<boolean>;
  /** Seals what browsers keep in cookies, so that any gateway can open it. `undefined` without sealing keys. */
  readonly cookies: CookieSeal | undefined;
}

/** Seals what a browser keeps, so that it can neither read nor change it. */
export interface CookieSeal {
  seal(text: string): string;
  /** `undefined` for everything that was not sealed with these keys. */
  open(text: string): string | undefined;
}

/** Everything that a gateway keeps: in an embedded database, in Postgres, or in memory. */
export interface Storage {
  readonly calls: CallLog;
  readonly keys: KeyStore;
  readonly secrets: SecretStore;
  readonly servers: ServerStore;
  readonly acceptedTools: AcceptedToolStore;
  readonly grants: GrantStore;
  readonly pendingLogins: PendingLoginStore;
  /** Logins to the page, if several gateways share them. Otherwise, each process has its own in memory. */
  readonly pageLogins?: PageLoginStore | undefined;
  /** For the workers of this gateway: the database itself, and a look at what they have changed in it. */
  readonly shared?: { readonly database: Database; readonly check: () => Promise<void> } | undefined;
  /** Takes secrets out of texts. Stored secrets are in it; add those of the environment, of files, and tokens. */
  readonly redactor: Redactor;
  readonly audit: {
    add(entry: Omit<AuditEntry, "at">): Promise<void>;
    list(limit?: number): Promise<readonly AuditEntry[]>;
  };
  /**
   * Calls `listener` when servers, keys or secrets have changed, or somebody has logged in or out at an upstream (`grants`),
   * whichever process has changed them. The stores are up to date by then. Returns a function that ends it.
   */
  onChange(listener: (kind: "servers" | "keys" | "secrets" | "grants") => void): () => void;
  close(): Promise<void>;
}
