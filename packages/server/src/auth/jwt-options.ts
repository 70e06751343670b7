import { UsageError } from "@toolwire/protocol";
import { expectFunction, expectOption, expectOptions, isObject, type OptionNames } from "@toolwire/protocol/internal";
import type { JSONWebKeySet } from "jose";
import { expectAlgorithms, expectNames, expectSecureUrl } from "./check-options.ts";
import type { AuthFetch } from "./issuer/fetch-document.ts";
import { createFixedKeys, type IssuerKeys, RemoteKeys } from "./issuer/keys.ts";
import {
  type AudienceOptions,
  type ClaimOptions,
  type ClaimSettings,
  type IssuerBoundOptions,
  readClaimOptions,
} from "./tokens/claim-options.ts";

/** The algorithms that tokens may be signed with. All have a public key: a shared secret could be used by anybody who verifies. */
const JWT_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** An algorithm that tokens may be signed with. */
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** Public keys of an issuer (RFC 7517). */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** The options of `jwt` about an issuer, whatever its tokens are bound by. */
export interface JwtIssuerOptions extends ClaimOptions {
  /** The issuer, exactly as it is in `iss`: with or without a slash at the end. */
  readonly issuer: string;
  /** The algorithms to accept. Default: all with public keys. */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined;
  /** Where the keys are. Default: the metadata of the issuer tell it. */
  readonly jwksUri?: string | undefined;
  /** The keys themselves. Nothing is fetched then. */
  readonly keys?: KeySet | undefined;
  /** The `typ` that tokens may have; `""` stands for none. Case and `application/` do not count. Default: `at+jwt`, `jwt`, none. */
  readonly tokenTypes?: readonly string[] | undefined;
  /** Sends requests to the issuer. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
}

/** Options of {@link jwt}. */
export type JwtOptions = JwtIssuerOptions & (AudienceOptions | IssuerBoundOptions);

const JWT_OPTIONS: OptionNames<JwtOptions> = {
  issuer: true,
  boundBy: true,
  audience: true,
  exclusiveAudience: true,
  algorithms: true,
  jwksUri: true,
  keys: true,
  tokenTypes: true,
  clockTolerance: true,
  requiredClaims: true,
  scopes: true,
  subject: true,
  clientId: true,
  fetch: true,
};

/** Checked options. */
export interface JwtSettings {
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly tokenTypes: readonly string[];
  readonly claims: ClaimSettings;
  readonly keys: IssuerKeys;
}

/** Checks the options of `jwt`. */
export function readJwtOptions(options: JwtOptions): JwtSettings {
  expectOptions("jwt", options, JWT_OPTIONS);
  const { algorithms = JWT_ALGORITHMS, tokenTypes = ["at+jwt", "jwt", ""] } = options;
  return {
    issuer: expectSecureUrl("issuer", options.issuer),
    algorithms: expectAlgorithms("algorithms", algorithms, JWT_ALGORITHMS),
    tokenTypes: expectNames("tokenTypes", tokenTypes).map(normalizeType),
    claims: readClaimOptions(options, "sub"),
    keys: createKeys(options),
  };
}

/** A type of a token without what does not count (RFC 7515, section 4.1.9). */
export function normalizeType(type: string): string {
  return type.toLowerCase().replace(/^application\//, "");
}

function createKeys({ issuer, jwksUri, keys, fetch: send }: JwtOptions): IssuerKeys {
  if (send !== undefined) expectFunction("fetch", send);
  if (keys !== undefined) {
    if (jwksUri !== undefined) {
      throw new UsageError("INVALID_ARGUMENT", "`keys` and `jwksUri` exclude each other: give one.");
    }
    const fits = isObject(keys) && Array.isArray(keys.keys) && keys.keys.every(isObject);
    return createFixedKeys(expectOption("keys", keys, fits, "a JWK Set: { keys: [...] }") as unknown as JSONWebKeySet);
  }
  const source = {
    issuer,
    jwksUri: jwksUri === undefined ? undefined : expectSecureUrl("jwksUri", jwksUri),
    fetch: send ?? ((url: string, init: RequestInit) => fetch(url, init)),
  };
  return new RemoteKeys(source);
}
