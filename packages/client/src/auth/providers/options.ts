import { UsageError } from "@toolwire/protocol";
import { describeValue } from "@toolwire/protocol/internal";
import type { DiscoveryRules } from "../discovery/discover.ts";
import type { KnownClient } from "../grants/client-authentication.ts";
import { importPrivateKey, SIGNING_ALGORITHMS, type SigningAlgorithm } from "../grants/private-key.ts";
import type { Zone } from "../network/zones.ts";
import { type AuthStore, memoryStore } from "../store/auth-store.ts";
import type { AccessOptions } from "./access-options.ts";

/** The options of every provider that gets tokens of authorization servers. */
export interface TokenOptions {
  /** Where tokens and registrations are kept. Default: in memory. `enterprise` and `workload` use it only with an `account`. */
  readonly store?: AuthStore | undefined;
  /** The scopes to ask for. Default: those that the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** Tells several users of one store apart. */
  readonly account?: string | undefined;
  /**
   * Whether tokens are bound to a key of this client (RFC 9449): `"auto"`, the default, if the server asks for it;
   * `"required"` always; `false` never.
   */
  readonly dpop?: "auto" | "required" | false | undefined;
  /**
   * How the `resource` in the metadata of a server must agree with its URL. `"prefix"`, the default: same origin, and a part of
   * its path. `"exact"`: the same, for hosts that several parties share. `false` sends no `resource`, for authorization servers
   * that refuse it; needs `authorizationServer`.
   */
  readonly resource?: "prefix" | "exact" | false | undefined;
  /** The only authorization server to use, for servers that name none or a wrong one; `metadataUrl` says where its metadata are. */
  readonly authorizationServer?: { readonly issuer: string; readonly metadataUrl?: string | undefined } | undefined;
  /** `true` refuses issuers that differ by one slash at the end. Default: `false`. */
  readonly strictIssuer?: boolean | undefined;
  /** Whether a server without metadata is taken for its own authorization server, as in 2025-03-26. Default: `true`. */
  readonly legacyDiscovery?: boolean | undefined;
  /** The most private network that URLs of the server may lead to. Default: that of the server. */
  readonly allowNetwork?: "public" | "private" | "loopback" | undefined;
}

/** A secret, and the authorization server that it is for. It is sent nowhere else. */
export interface SecretCredentials {
  readonly id: string;
  readonly secret: string;
  /** The issuer that knows this client, exactly as its metadata spell it. */
  readonly issuer: string;
}

/** A private key, and the authorization server that knows its public key. */
export interface KeyCredentials {
  readonly id: string;
  /** PEM with PKCS#8, a JWK, or a key of Web Crypto. */
  readonly key: string | JsonWebKey | CryptoKey;
  /** Default: `"ES256"`. */
  readonly algorithm?: SigningAlgorithm | undefined;
  /** The id of the key, if the authorization server knows several. */
  readonly keyId?: string | undefined;
  /** The audience of signed assertions. Default: the issuer. */
  readonly assertionAudience?: string | undefined;
  /** The issuer that knows this client, exactly as its metadata spell it. */
  readonly issuer: string;
}

/** A client without a secret that an authorization server knows. */
export interface PublicCredentials {
  readonly id: string;
  /** The issuer that knows this client, exactly as its metadata spell it. */
  readonly issuer: string;
}

/** Throws a `UsageError` about an option. */
export function refuse(name: string, expected: string, given: unknown): never {
  // Secrets are options, too: only the kind of a value is shown.
  const got = typeof given === "string" ? "a text" : describeValue(given);
  throw new UsageError("INVALID_ARGUMENT", `\`${name}\` must be ${expected}; got ${got}.`);
}

/** Checks that credentials name their issuer: without it, any server could have them sent anywhere. */
export function expectIssuer(name: string, given: unknown): string {
  if (typeof given === "string" && URL.canParse(given)) return given;
  return refuse(name, "the URL of the authorization server that the credentials are for", given);
}

/** Checks that a value is an object. */
export function expectRecord(name: string, given: unknown): void {
  if (typeof given !== "object" || given === null) refuse(name, "an object", given);
}

/** Checks a required text. */
export function expectText(name: string, given: unknown): string {
  return typeof given === "string" && given !== "" ? given : refuse(name, "a text", given);
}

/** Checks the options that all providers share, and fills in their defaults. */
export function readTokenOptions(
  options: TokenOptions,
  needsLogin: boolean,
  assumesPkce: boolean,
  issuer: string | undefined,
): Omit<AccessOptions, "source" | "changed"> {
  expectRecord("options", options);
  const { store, scopes, account, dpop = "auto", resource = "prefix", authorizationServer, allowNetwork } = options;
  const pinned = authorizationServer ?? (issuer === undefined ? undefined : { issuer });
  if (authorizationServer !== undefined) expectIssuer("authorizationServer.issuer", authorizationServer.issuer);
  if (authorizationServer !== undefined && issuer !== undefined && authorizationServer.issuer !== issuer) {
    refuse("authorizationServer.issuer", "the issuer that the credentials are for", authorizationServer.issuer);
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))) {
    refuse("scopes", "an array of strings", scopes);
  }
  if (resource === false && pinned === undefined) {
    refuse(
      "resource",
      "false only together with `authorizationServer`, or with credentials that name an issuer",
      resource,
    );
  }
  if (![false, "auto", "required"].includes(dpop)) refuse("dpop", '"auto", "required" or false', dpop);
  if (store !== undefined && (typeof store?.get !== "function" || typeof store.swap !== "function")) {
    refuse("store", "an object with `get` and `swap`, such as `memoryStore()`", store);
  }
  const rules: DiscoveryRules = {
    pinned,
    resourceMatch: resource === "exact" ? "exact" : "prefix",
    sendsResource: resource !== false,
    strictIssuer: options.strictIssuer === true,
    legacyDiscovery: options.legacyDiscovery !== false,
    needsLogin,
    assumesPkce,
  };
  return {
    store: store ?? memoryStore(),
    scopes,
    account,
    dpop,
    rules,
    allowNetwork: allowNetwork as Zone | undefined,
  };
}

/**
 * Keeps tokens of somebody who is known only by a token of another place: in the store if the application says whose they are, and
 * else in memory. Otherwise two users of one store would get each other's tokens.
 */
export function keepKnownUser<T extends Pick<AccessOptions, "account" | "store">>(options: T): T {
  return options.account === undefined ? { ...options, store: memoryStore() } : options;
}

/** Checks the credentials of a client, and reads its key once. */
export function readCredentials(
  name: string,
  given: SecretCredentials | KeyCredentials | PublicCredentials,
): () => Promise<KnownClient> {
  expectRecord(name, given);
  const id = expectText(`${name}.id`, given.id);
  expectIssuer(`${name}.issuer`, given.issuer);
  if ("key" in given && given.key !== undefined) {
    const { key, algorithm = "ES256", keyId, assertionAudience } = given;
    if (!SIGNING_ALGORITHMS.includes(algorithm)) {
      refuse(`${name}.algorithm`, `one of ${SIGNING_ALGORITHMS.join(", ")}`, algorithm);
    }
    let imported: Promise<CryptoKey> | undefined;
    return async () => {
      imported ??= importPrivateKey(key, algorithm);
      return { id, key: { key: await imported, id: keyId }, assertionAudience, origin: "configured" };
    };
  }
  const secret =
    "secret" in given && given.secret !== undefined ? expectText(`${name}.secret`, given.secret) : undefined;
  return async () => ({ id, secret, origin: "configured" });
}
