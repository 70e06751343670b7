import {
  expectChoice,
  expectFunction,
  expectOption,
  expectOptions,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { toBase64 } from "../content/binary.ts";
import { networkOf } from "../bindings/admission/callers.ts";
import { expectSecureUrl } from "./check-options.ts";
import { type AuthFetch, fetchDocument } from "./issuer/fetch-document.ts";
import { LookupQueue } from "./issuer/lookup-queue.ts";
import {
  type AudienceOptions,
  type ClaimOptions,
  type ClaimSettings,
  type IssuerBoundOptions,
  readClaimOptions,
  readClaims,
} from "./tokens/claim-options.ts";
import { showClaim } from "./tokens/claims.ts";
import { checkPurpose } from "./tokens/purpose.ts";
import {
  type Claims,
  type TokenContext,
  TokenRefused,
  type TokenVerifier,
  VerificationUnavailable,
  type Verified,
} from "./tokens/verified.ts";

/** How this server proves to the authorization server who it is. */
export interface IntrospectionClient {
  readonly id: string;
  readonly secret: string;
  /** Where id and secret go: into the `Authorization` header, or into the body. Default: `"basic"`. */
  readonly method?: "basic" | "post" | undefined;
}

/** The options of `introspection` about an issuer, whatever its tokens are bound by. */
export interface IntrospectionIssuerOptions extends ClaimOptions {
  /** The issuer. If a response names one, it must be this one. */
  readonly issuer: string;
  /** The URL that tokens are sent to, and no other. */
  readonly endpoint: string;
  readonly client: IntrospectionClient;
  /** How long a response is used again, in milliseconds: at most 60 000. A token that is revoked works for so long. Default: 60 000. */
  readonly cache?: number | undefined;
  /** Sends requests to the issuer. Default: the platform's `fetch`. */
  readonly fetch?: AuthFetch | undefined;
}

/** Options of {@link introspection}. */
export type IntrospectionOptions = IntrospectionIssuerOptions & (AudienceOptions | IssuerBoundOptions);

const INTROSPECTION_OPTIONS: OptionNames<IntrospectionOptions> = {
  issuer: true,
  endpoint: true,
  client: true,
  cache: true,
  fetch: true,
  boundBy: true,
  audience: true,
  exclusiveAudience: true,
  clockTolerance: true,
  requiredClaims: true,
  scopes: true,
  subject: true,
  clientId: true,
};

const MAX_CACHE_MS = 60_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Verifies access tokens by asking the authorization server about them (RFC 7662). For tokens that nobody else can read. */
export function introspection(options: IntrospectionOptions): TokenVerifier {
  expectOptions("introspection", options, INTROSPECTION_OPTIONS);
  return new IntrospectionVerifier(options);
}

class IntrospectionVerifier implements TokenVerifier {
  readonly issuer: string;
  readonly takesOpaqueTokens = true;
  readonly #endpoint: string;
  readonly #authenticate: (body: URLSearchParams) => Record<string, string>;
  readonly #claims: ClaimSettings;
  readonly #maxAge: number;
  readonly #fetch: AuthFetch;
  readonly #queue: LookupQueue;

  constructor(options: IntrospectionOptions) {
    const { cache = MAX_CACHE_MS, fetch: send } = options;
    this.issuer = expectSecureUrl("issuer", options.issuer);
    this.#queue = new LookupQueue(this.issuer);
    this.#endpoint = expectSecureUrl("endpoint", options.endpoint);
    this.#authenticate = readClient(options.client);
    this.#claims = readClaimOptions(options, ["sub", "username"]);
    const fits = typeof cache === "number" && cache >= 0 && cache <= MAX_CACHE_MS;
    this.#maxAge = expectOption("cache", cache, fits, `a number of milliseconds, at most ${MAX_CACHE_MS}`);
    this.#fetch = send === undefined ? (url, init) => fetch(url, init) : expectFunction("fetch", send);
  }

  async verify(token: string, { resource, request }: TokenContext): Promise<Verified> {
    const claims = await this.#queue.run(networkOf(request.address), () => this.#ask(token));
    if (claims["active"] !== true) throw new TokenRefused("the issuer says that it is not active");
    const { iss } = claims;
    if (iss !== undefined && iss !== this.issuer) throw new TokenRefused(`its issuer is ${showClaim(iss)}`);
    checkPurpose(claims);
    return { ...readClaims(claims, this.issuer, this.#claims, resource), maxAge: this.#maxAge };
  }

  async #ask(token: string): Promise<Claims> {
    const body = new URLSearchParams({ token, token_type_hint: "access_token" });
    const headers = { accept: "application/json", ...this.#authenticate(body) };
    const init = { method: "POST", headers, body };
    const { status, document } = await fetchDocument(this.#fetch, this.#endpoint, init, MAX_RESPONSE_BYTES);
    // A 401 is about our own credentials (RFC 7662, section 2.3), and says nothing about the token.
    if (status === 200 && typeof document?.["active"] === "boolean") return document;
    const hint = status === 401 || status === 403 ? "; check `client`" : "";
    throw new VerificationUnavailable(`${this.#endpoint} answered with HTTP status ${status}${hint}`);
  }
}

/** Returns what adds the credentials to a request: to its body, or as header fields. */
function readClient(client: IntrospectionClient): (body: URLSearchParams) => Record<string, string> {
  const { id, secret, method } = (isObject(client) ? client : {}) as Partial<IntrospectionClient>;
  // The value is not shown: it holds the secret.
  const fits = typeof id === "string" && id !== "" && typeof secret === "string" && secret !== "";
  expectOption("client", {}, fits, "an object with `id` and `secret`, both texts that are not empty");
  if (expectChoice("client.method", ["basic", "post"], method) === "post") {
    return (body) => {
      body.set("client_id", id!);
      body.set("client_secret", secret!);
      return {};
    };
  }
  // Both parts are form-encoded first (RFC 6749, section 2.3.1): either may have a colon, or letters that base64 does not know.
  const encoded = [id!, secret!].map((part) => new URLSearchParams([["", part]]).toString().slice(1)).join(":");
  const authorization = `Basic ${toBase64(new TextEncoder().encode(encoded))}`;
  return () => ({ authorization });
}
