import { showClaim } from "./claims.ts";
import { type Claims, TokenRefused } from "./verified.ts";

/** Claims that only tokens for other purposes have: ID tokens (OpenID Connect) and security events, such as logout tokens. */
const FOREIGN_CLAIMS = ["at_hash", "c_hash", "s_hash", "events"];

/** The claims that some issuers write the purpose of a token into: Keycloak into `typ`, old versions of Hydra into `token_type`. */
const TYPE_CLAIMS = ["typ", "token_type"];
const FOREIGN_TYPE = /^(?:id|refresh|offline|logout)(?:_token)?$/i;

/** The values of `token_use` that mean an access token: Cognito's and Hydra's. */
const ACCESS_USES: readonly unknown[] = [undefined, "access", "access_token"];

/**
 * Refuses tokens of the same issuer that are no access tokens. Their audience does not always tell: introspection calls refresh tokens
 * active, too (RFC 7662), and may name the audience of the access tokens that they are for.
 */
export function checkPurpose(claims: Claims): void {
  const foreign = FOREIGN_CLAIMS.find((name) => Object.hasOwn(claims, name));
  if (foreign !== undefined) throw new TokenRefused(`it is no access token: it has \`${foreign}\``);
  for (const name of TYPE_CLAIMS) {
    const type = claims[name];
    if (typeof type !== "string" || !FOREIGN_TYPE.test(type)) continue;
    throw new TokenRefused(`it is no access token: its claim \`${name}\` is ${showClaim(type)}`);
  }
  const { token_use: use } = claims;
  if (ACCESS_USES.includes(use)) return;
  throw new TokenRefused(`it is no access token: its \`token_use\` is ${showClaim(use)}`);
}
