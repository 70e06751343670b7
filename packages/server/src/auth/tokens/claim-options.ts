import { UsageError } from "@toolwire/protocol";
import { expectBoolean, expectOption, isObject } from "@toolwire/protocol/internal";
import { expectNames } from "../check-options.ts";
import { audiencesOf, checkAudience } from "./audience.ts";
import {
  checkRequiredClaims,
  checkTimes,
  freezeClaims,
  readKeyThumbprint,
  readTextClaim,
  readTimeClaim,
  type RequiredClaims,
} from "./claims.ts";
import { readScopes } from "./scopes.ts";
import type { Claims, Verified } from "./verified.ts";

/** How the claims of a token are read. */
export interface ClaimOptions {
  /** How much clocks may differ, in milliseconds: at most 60 000. For `nbf` and `iat`, not for `exp`. Default: 30 000. */
  readonly clockTolerance?: number | undefined;
  /** Claims that must have one of these values, such as `{ token_use: "access" }`. */
  readonly requiredClaims?: RequiredClaims | undefined;
  /** The claims that hold scopes, as text with spaces or as a list. Default: `scope` and `scp`. */
  readonly scopes?: string | readonly string[] | undefined;
  /** The claim that names the user, the first of several that is there. Default: `sub`. */
  readonly subject?: string | readonly string[] | undefined;
  /** The claim that names the program. Default: `client_id`, `azp`, `cid`, `appid`. */
  readonly clientId?: string | readonly string[] | undefined;
}

/** Tokens say whom they are for. */
export interface AudienceOptions {
  readonly boundBy?: "audience" | undefined;
  /** The audience (`aud`) of tokens; one of several is enough. Default: the `resource` of `protect`. */
  readonly audience?: string | readonly string[] | undefined;
  /** Refuses tokens that are for others as well. Default: false. */
  readonly exclusiveAudience?: boolean | undefined;
}

/**
 * Tokens do not say whom they are for. Then everybody who gets a token of the issuer, for whatever server, can use it here: only for
 * an issuer that issues tokens for this server alone, or with `requiredClaims` that tell its tokens apart.
 */
export interface IssuerBoundOptions {
  readonly boundBy: "issuer";
  readonly audience?: undefined;
  readonly exclusiveAudience?: undefined;
}

/** Options of a verifier as far as they are about claims. */
type AllClaimOptions = ClaimOptions & (AudienceOptions | IssuerBoundOptions);

/** Checked options. */
export interface ClaimSettings {
  /** The audiences of tokens: `undefined` for the resource, `false` if tokens have none. */
  readonly audiences: readonly string[] | undefined | false;
  readonly isExclusive: boolean;
  readonly clockTolerance: number;
  readonly requiredClaims: RequiredClaims;
  readonly scopes: readonly string[];
  readonly subject: readonly string[];
  readonly clientId: readonly string[];
}

const MAX_TOLERANCE_MS = 60_000;

/** Checks the options about claims. `subject`: where the user is, if the options do not say so. */
export function readClaimOptions(options: AllClaimOptions, subject: string | readonly string[]): ClaimSettings {
  const { requiredClaims = {}, scopes = ["scope", "scp"], clockTolerance = 30_000 } = options;
  const { clientId = ["client_id", "azp", "cid", "appid"] } = options;
  const isTable = isObject(requiredClaims);
  expectOption("requiredClaims", requiredClaims, isTable, "an object with a text, a list or true for each claim");
  for (const [name, values] of Object.entries(requiredClaims)) {
    if (values !== true) expectNames(`requiredClaims.${name}`, values);
  }
  const isTolerance = typeof clockTolerance === "number" && clockTolerance >= 0 && clockTolerance <= MAX_TOLERANCE_MS;
  const expected = `a number of milliseconds, at most ${MAX_TOLERANCE_MS}`;
  return {
    audiences: readAudiences(options),
    isExclusive: expectBoolean("exclusiveAudience", options.exclusiveAudience, false),
    clockTolerance: expectOption("clockTolerance", clockTolerance, isTolerance, expected),
    requiredClaims,
    scopes: expectNames("scopes", scopes),
    subject: expectNames("subject", options.subject ?? subject),
    clientId: expectNames("clientId", clientId),
  };
}

/** Giving up the check of the audience has to be said in so many words. */
function readAudiences({ audience, boundBy, exclusiveAudience }: AllClaimOptions): ClaimSettings["audiences"] {
  const isKnown = boundBy === undefined || boundBy === "audience" || boundBy === "issuer";
  expectOption("boundBy", boundBy, isKnown, '"audience" or "issuer"');
  if (boundBy === "issuer") {
    if (audience === undefined && exclusiveAudience === undefined) return false;
    const message = "means that tokens have no audience; leave out `audience` and `exclusiveAudience`";
    throw new UsageError("INVALID_ARGUMENT", `\`boundBy: "issuer"\` ${message}.`);
  }
  if (audience === undefined) return undefined;
  const list = [audience].flat();
  const fits = list.length > 0 && list.every((name) => typeof name === "string" && name !== "");
  const hint = 'for tokens without an audience, say `boundBy: "issuer"`';
  expectOption("audience", audience, fits, `a text, or a list of texts; ${hint}`);
  return list;
}

/** Checks the claims of a token whose issuer is certain, and reads who the caller is. */
export function readClaims(claims: Claims, issuer: string, settings: ClaimSettings, resource: string): Verified {
  const { audiences, isExclusive, clockTolerance, requiredClaims, subject, clientId, scopes } = settings;
  checkTimes(claims, clockTolerance, Date.now());
  if (audiences !== false) {
    checkAudience(claims["aud"], { accepted: audiences ?? audiencesOf(resource), isExclusive });
  }
  checkRequiredClaims(claims, requiredClaims);
  return {
    issuer,
    subject: readTextClaim(claims, subject),
    clientId: readTextClaim(claims, clientId),
    scopes: readScopes(claims, scopes),
    expiresAt: readTimeClaim(claims, "exp"),
    keyThumbprint: readKeyThumbprint(claims),
    claims: freezeClaims(claims),
    audienceChecked: true,
  };
}
