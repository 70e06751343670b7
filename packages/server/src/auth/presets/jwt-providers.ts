/**
 * The peculiarities of the tokens of well-known providers, as options of `jwt`: how they spell their issuer, whom tokens are for, and
 * where scopes and users are. Everything else about them is as usual, and found by their metadata.
 */
import { expectOption, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { expectNames, expectSecureUrl } from "../check-options.ts";
import type { JwtOptions } from "../jwt-options.ts";
import type { IssuerBoundOptions } from "../tokens/claim-options.ts";

/** One audience, or several of which one is enough. */
type Audience = string | readonly string[];

/** Options of {@link auth0}. */
export interface Auth0Options {
  /** The domain of the tenant, such as `example.eu.auth0.com`, or one of your own. */
  readonly domain: string;
  /** The identifier of the API in Auth0. Default: the `resource` of `protect`. */
  readonly audience?: Audience | undefined;
}

/**
 * Tokens of Auth0. Its issuer ends with a slash. Permissions of roles (RBAC) are in a claim of their own, and count as scopes. Without an
 * audience, Auth0 issues tokens that are no JWTs: clients must send `audience` or `resource`, or the tenant must have a default audience.
 */
export function auth0(options: Auth0Options): JwtOptions {
  const { domain, audience } = expectOptions("auth0", options, { domain: true, audience: true });
  return { issuer: `https://${expectHost("domain", domain)}/`, audience, scopes: ["scope", "permissions"] };
}

/** Options of {@link okta}. */
export interface OktaOptions {
  /** The domain of the organization, such as `example.okta.com`. */
  readonly domain: string;
  /** The id of the custom authorization server. Default: `default`. */
  readonly authorizationServer?: string | undefined;
  /** The audience of that authorization server, such as `api://default`. */
  readonly audience: Audience;
}

/**
 * Tokens of a custom authorization server of Okta. Those of the organization itself cannot be verified by anybody but Okta. Scopes are a
 * list in `scp`. `sub` is a login name, which may be given to somebody else one day, so the user is `uid`.
 */
export function okta(options: OktaOptions): JwtOptions {
  const { domain, authorizationServer: id = "default", audience } = expectOptions("okta", options, OKTA_OPTIONS);
  expectOption("authorizationServer", id, SEGMENT.test(id), 'an id such as "default"');
  return {
    issuer: `https://${expectHost("domain", domain)}/oauth2/${id}`,
    audience: expectNames("audience", audience),
    scopes: "scp",
    subject: ["uid", "sub"],
    clientId: "cid",
  };
}

const OKTA_OPTIONS: OptionNames<OktaOptions> = { domain: true, authorizationServer: true, audience: true };

/** Options of {@link entra}. */
export interface EntraOptions {
  /** The id of the tenant: a GUID. For several tenants, give a list of verifiers. */
  readonly tenant: string;
  /** The id of the application that stands for this server (a GUID), or its URI such as `api://…`. */
  readonly audience: Audience;
}

/**
 * Tokens of Microsoft Entra, version 2.0: set `requestedAccessTokenVersion` to 2 in the manifest of the application. Scopes of users are in `scp`,
 * those of programs in `roles`. The user is `oid`: `sub` differs for every application. ID tokens can have the same audience, but no `azp`.
 */
export function entra(options: EntraOptions): JwtOptions {
  const { tenant, audience } = expectOptions("entra", options, { tenant: true, audience: true });
  const fits = typeof tenant === "string" && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(tenant);
  expectOption("tenant", tenant, fits, 'the GUID of one tenant; "common" and "organizations" are no issuers of tokens');
  return {
    issuer: `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`,
    audience: expectNames("audience", audience),
    requiredClaims: { ver: "2.0", azp: true },
    scopes: ["scp", "roles"],
    subject: "oid",
    clientId: "azp",
  };
}

/** Options of {@link keycloak}. */
export interface KeycloakOptions {
  /** Where Keycloak is, without `/realms/…`, such as `https://id.example.com`. */
  readonly url: string;
  readonly realm: string;
  /** The audience that the mapper adds. Default: the `resource` of `protect`. */
  readonly audience?: Audience | undefined;
}

/** Tokens of Keycloak. They are for `account` only, unless a client scope has an audience mapper that adds this server. */
export function keycloak(options: KeycloakOptions): JwtOptions {
  const { url, realm, audience } = expectOptions("keycloak", options, { url: true, realm: true, audience: true });
  expectOption("realm", realm, SEGMENT.test(realm), "the name of a realm, as it is in its URL");
  const base = expectSecureUrl("url", url).replace(/\/$/, "");
  return { issuer: `${base}/realms/${realm}`, audience, scopes: "scope", clientId: ["azp", "client_id"] };
}

/** Options of {@link cognito}. */
export interface CognitoOptions {
  /** The region of the user pool, such as `eu-central-1`. */
  readonly region: string;
  /** The id of the user pool, such as `eu-central-1_AbCdEfGhI`. */
  readonly userPool: string;
  /**
   * The app clients whose tokens are accepted, for pools that issue tokens without an audience. Without it, tokens must have the `resource` of
   * `protect` as audience, which Cognito adds if clients send `resource`.
   */
  readonly clients?: readonly string[] | undefined;
}

/** Tokens of Amazon Cognito. Access tokens often have no audience. Then the app clients that may use this server have to be listed. */
export function cognito(options: CognitoOptions): JwtOptions {
  const { region, userPool, clients } = expectOptions("cognito", options, COGNITO_OPTIONS);
  expectOption("region", region, SEGMENT.test(region), 'a region such as "eu-central-1"');
  expectOption("userPool", userPool, SEGMENT.test(userPool), 'the id of a user pool such as "eu-central-1_AbCdEfGhI"');
  const issuer = `https://cognito-idp.${region}.amazonaws.com/${userPool}`;
  const base = { issuer, scopes: "scope", clientId: "client_id" };
  if (clients === undefined) return { ...base, requiredClaims: { token_use: "access" } };
  const requiredClaims = { token_use: "access", client_id: expectNames("clients", clients) };
  return { ...base, requiredClaims, boundBy: "issuer" };
}

const COGNITO_OPTIONS: OptionNames<CognitoOptions> = { region: true, userPool: true, clients: true };

/** Options of {@link workos}. */
export interface WorkosOptions {
  /** The domain of AuthKit, such as `example.authkit.app`. */
  readonly domain: string;
  /** Default: the `resource` of `protect`. List it as a resource indicator in the dashboard. */
  readonly audience?: Audience | undefined;
}

/** Tokens of WorkOS AuthKit. They are for this server only if its URL is a resource indicator in the dashboard. */
export function workos(options: WorkosOptions): JwtOptions {
  const { domain, audience } = expectOptions("workos", options, { domain: true, audience: true });
  return { issuer: `https://${expectHost("domain", domain)}`, audience, scopes: ["scope", "permissions"] };
}

/** Options of {@link clerk}. Tokens have an audience if clients ask for one; if not, say that the issuer is enough. */
export type ClerkOptions = {
  /** The domain of the Frontend API, such as `example.clerk.accounts.dev`. */
  readonly domain: string;
} & ({ readonly audience: Audience; readonly boundBy?: undefined } | IssuerBoundOptions);

/**
 * OAuth tokens of Clerk, in the form of JWTs. Session tokens and ID tokens have the same issuer and another type (`typ`): only `at+jwt` is
 * accepted.
 */
export function clerk(options: ClerkOptions): JwtOptions {
  const { domain, audience, boundBy } = expectOptions("clerk", options, {
    domain: true,
    audience: true,
    boundBy: true,
  });
  const issuer = `https://${expectHost("domain", domain)}`;
  const base = { issuer, tokenTypes: ["at+jwt"], scopes: ["scope", "scp"] };
  if (boundBy === "issuer" && audience === undefined) return { ...base, boundBy };
  const hint = 'the audience of the tokens; for tokens without one, say `boundBy: "issuer"`';
  expectOption("audience", audience, audience !== undefined && boundBy === undefined, hint);
  return { ...base, audience: expectNames("audience", audience!) };
}

/** Options of {@link supabase}. */
export interface SupabaseOptions {
  /** The URL of the project, such as `https://abcdefgh.supabase.co`. */
  readonly url: string;
  /** Says that you know: all tokens of a project have the same audience, so that one of your other applications can be used here. */
  readonly boundBy: "issuer";
  /** The OAuth clients whose tokens are accepted. Tokens of the project's own pages have none. Default: all tokens. */
  readonly clients?: readonly string[] | undefined;
}

/** Tokens of Supabase Auth with asymmetric signing keys. Their audience is `authenticated`, whatever they are for; they have no scopes. */
export function supabase(options: SupabaseOptions): JwtOptions {
  const { url, boundBy, clients } = expectOptions("supabase", options, { url: true, boundBy: true, clients: true });
  expectOption("boundBy", boundBy, boundBy === "issuer", '"issuer": tokens of Supabase do not say whom they are for');
  const issuer = `${expectSecureUrl("url", url).replace(/\/$/, "")}/auth/v1`;
  const requiredClaims = {
    aud: "authenticated",
    role: "authenticated",
    ...(clients !== undefined && { client_id: expectNames("clients", clients) }),
  };
  return { issuer, boundBy, requiredClaims };
}

/** A part of a path or of a host name that needs no escaping. */
const SEGMENT = /^[\w.~-]+$/;

/** Checks a host name without a scheme and a path: people copy URLs. */
function expectHost(name: string, host: unknown): string {
  const fits = typeof host === "string" && /^[a-z\d.-]+(?::\d+)?$/i.test(host);
  return expectOption(name, host, fits, 'a host name such as "auth.example.com", without https:// and path') as string;
}
