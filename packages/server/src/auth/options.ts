import { UsageError } from "@toolwire/protocol";
import {
  expectBoolean,
  expectFunction,
  expectOption,
  expectOptions,
  expectTexts,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { printDiagnostic, type ServerDiagnostic } from "../diagnostics.ts";
import { readVerify, type VerifyAny, type VerifyOption } from "./choose-verifier.ts";
import { type DpopMode, type DpopOptions, type DpopSettings, readDpopOptions } from "./dpop/options.ts";
import { expectResource, expectSecureUrl } from "./check-options.ts";
import { createExpansion, expectScopes, type ImpliedScopes } from "./tokens/scopes.ts";

/** Options of `protect`. */
export interface ProtectOptions {
  /**
   * The URL by which clients reach the server. Tokens must be for exactly this text, and clients find it in the metadata. It is never
   * taken from a request: behind a proxy it would be wrong, and a caller could choose it.
   */
  readonly resource: string;
  /** How tokens are verified: by `jwt`, by `introspection`, by a list with one of them for each issuer, or by your own function. */
  readonly verify: VerifyOption;
  /** The authorization servers that clients can get tokens from, by their issuers. Default: the issuers of `verify`. */
  readonly authorizationServers?: readonly string[] | undefined;
  /** The scopes that every request needs. Clients are told to ask for them. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** The scopes that clients ask for if they are not told otherwise. Default: `scopes`. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** Scopes that stand for others, such as `{ "mcp:admin": ["mcp:read", "mcp:write"] }`. */
  readonly implies?: ImpliedScopes | undefined;
  /**
   * Whether tokens may or must be bound to a key of the client (DPoP, RFC 9449), so that a stolen one is of no use. A token that is bound
   * is never accepted without a proof. Default: false, so that such tokens are refused.
   */
  readonly dpop?: DpopMode | false | DpopOptions | undefined;
  /** The name of the server, which clients may show to users. */
  readonly name?: string | undefined;
  /** The URL of a page for developers of clients. */
  readonly documentation?: string | undefined;
  /**
   * Lets `tokenOf` return the token of a caller, to exchange it for another one (RFC 8693). Never send it to another server as it is.
   * Default: false.
   */
  readonly exposeToken?: boolean | undefined;
  /**
   * Is told why tokens were refused (`info`) or could not be verified (`error`). Tokens are never part of it. Default: errors go to
   * stderr.
   */
  readonly onDiagnostic?: ((event: ServerDiagnostic) => void) | undefined;
}

const PROTECT_OPTIONS: OptionNames<ProtectOptions> = {
  resource: true,
  verify: true,
  authorizationServers: true,
  scopes: true,
  scopesSupported: true,
  implies: true,
  dpop: true,
  name: true,
  documentation: true,
  exposeToken: true,
  onDiagnostic: true,
};

/** Checked options. */
export interface ProtectSettings {
  readonly resource: string;
  readonly verify: VerifyAny;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly scopesSupported: readonly string[];
  readonly expand: (scopes: readonly string[]) => readonly string[];
  readonly dpop: DpopSettings | undefined;
  readonly name: string | undefined;
  readonly documentation: string | undefined;
  readonly exposesToken: boolean;
  readonly diagnose: (event: ServerDiagnostic) => void;
}

/** Checks the options of `protect`. */
export function readProtectOptions(options: ProtectOptions): ProtectSettings {
  expectOptions("protect", options, PROTECT_OPTIONS);
  expectTexts(options, ["name", "documentation"]);
  const resource = expectResource(options.resource);
  const { verify, issuers } = readVerify(options.verify);
  const scopes = expectNeededScopes(options.scopes ?? []);
  const { name, documentation, onDiagnostic = printDiagnostic } = options;
  return {
    resource,
    verify,
    authorizationServers: readServers(options.authorizationServers, issuers),
    scopes,
    scopesSupported: expectScopes("scopesSupported", options.scopesSupported ?? scopes),
    expand: createExpansion(options.implies),
    dpop: readDpopOptions(options.dpop),
    name,
    documentation: documentation === undefined ? undefined : expectSecureUrl("documentation", documentation),
    exposesToken: expectBoolean("exposeToken", options.exposeToken, false),
    diagnose: expectFunction("onDiagnostic", onDiagnostic),
  };
}

/** Checks the scopes of every request. None needs a refresh token (2026-07-28, "Refresh Tokens"). */
function expectNeededScopes(value: unknown): readonly string[] {
  const scopes = expectScopes("scopes", value);
  if (!scopes.includes("offline_access")) return scopes;
  const reason = "it asks for a refresh token, which is between clients and their authorization server";
  throw new UsageError("INVALID_ARGUMENT", `\`scopes\` must not have "offline_access": ${reason}. Leave it out.`);
}

function readServers(given: readonly string[] | undefined, issuers: readonly string[]): readonly string[] {
  const servers = given ?? issuers;
  expectOption("authorizationServers", servers, Array.isArray(servers), "a list of issuers");
  if (servers.length === 0) {
    const reason = "clients have to be told where to get tokens; a function as `verify` does not say it";
    throw new UsageError("INVALID_ARGUMENT", `\`authorizationServers\` must name at least one issuer: ${reason}.`);
  }
  return servers.map((server, index) => expectSecureUrl(`authorizationServers[${index}]`, server));
}
