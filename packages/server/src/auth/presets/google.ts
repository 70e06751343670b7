import { expectFunction, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { networkOf } from "../../bindings/admission/callers.ts";
import { expectNames, expectSecureUrl } from "../check-options.ts";
import { type AuthFetch, fetchDocument } from "../issuer/fetch-document.ts";
import { LookupQueue } from "../issuer/lookup-queue.ts";
import { checkAudience } from "../tokens/audience.ts";
import { freezeClaims } from "../tokens/claims.ts";
import { readScopes } from "../tokens/scopes.ts";
import { TokenRefused, type TokenVerifier, VerificationUnavailable, type Verified } from "../tokens/verified.ts";

/** Options of {@link google}. */
export interface GoogleOptions {
  /** The ids of the OAuth clients whose tokens are accepted. Google's tokens are for a client, and never for a server. */
  readonly clientIds: string | readonly string[];
  /** Where tokens are looked up. Default: Google's own URL. */
  readonly endpoint?: string | undefined;
  /** Sends requests to Google. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
}

const GOOGLE_OPTIONS: OptionNames<GoogleOptions> = { clientIds: true, endpoint: true, fetch: true };
const ISSUER = "https://accounts.google.com";
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Verifies access tokens of Google. They are no JWTs, and Google has no introspection: a service of its own (`tokeninfo`) says what a token is
 * worth. Ask for the scope `openid`, or tokens name no user.
 */
export function google(options: GoogleOptions): TokenVerifier {
  const { clientIds, endpoint = "https://oauth2.googleapis.com/tokeninfo", fetch: send } = options;
  expectOptions("google", options, GOOGLE_OPTIONS);
  const accepted = expectNames("clientIds", clientIds);
  const url = expectSecureUrl("endpoint", endpoint);
  const sender: AuthFetch = send === undefined ? (target, init) => fetch(target, init) : expectFunction("fetch", send);
  const queue = new LookupQueue(ISSUER);
  return {
    issuer: ISSUER,
    takesOpaqueTokens: true,
    async verify(token, { request }): Promise<Verified> {
      // In the body, because URLs are written to logs.
      const init = {
        method: "POST",
        headers: { accept: "application/json" },
        body: new URLSearchParams({ access_token: token }),
      };
      const { status, document } = await queue.run(networkOf(request.address), () =>
        fetchDocument(sender, url, init, MAX_RESPONSE_BYTES),
      );
      if (status === 400 || status === 401) throw new TokenRefused("Google does not know it");
      if (status !== 200 || document === undefined) {
        throw new VerificationUnavailable(`${url} answered with HTTP status ${status}`);
      }
      checkAudience(document["aud"], { accepted, isExclusive: true });
      const { sub, azp, exp } = document;
      // Numbers are texts here.
      const expiresAt = Number(exp) * 1000;
      if (!(expiresAt > 0)) throw new TokenRefused("it has no `exp`");
      return {
        issuer: ISSUER,
        subject: typeof sub === "string" ? sub : undefined,
        // A token without a user would make all users of a client one caller.
        clientId: typeof sub === "string" && typeof azp === "string" ? azp : undefined,
        scopes: readScopes(document, ["scope"]),
        expiresAt,
        claims: freezeClaims(document),
        audienceChecked: true,
      };
    },
  };
}
