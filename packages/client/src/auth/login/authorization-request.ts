import { AuthError } from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
} from "oauth4webapi";
import type { TokenPlace } from "../discovery/discover.ts";
import { authenticationOf, type KnownClient } from "../grants/client-authentication.ts";
import type { DpopKey } from "../grants/dpop.ts";
import { RequestSecrets } from "../grants/request-secrets.ts";
import { explain } from "../grants/token-refusal.ts";
import { libraryOptions } from "../network/library-options.ts";
import { type AuthFetch, readSecureUrl } from "../network/network.ts";
import type { Registration } from "../store/records.ts";

/** How long a login may take before its record is worthless. */
const RECORD_MS = 10 * 60_000;

/** Everything that has to be known when the user comes back. It is used once. */
export interface LoginRecord {
  readonly server: string;
  readonly state: string;
  readonly verifier: string;
  /** The issuer that the response must come from, and the endpoint that its code is sent to. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Whether responses of this issuer always name it (RFC 9207). */
  readonly namesIssuer: boolean;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string | undefined;
  readonly requested: readonly string[] | undefined;
  readonly isGuessed: boolean;
  /** Whether the tokens are to be bound to a key. */
  readonly isBound: boolean;
  /** The registration of the client, for a login that is finished by a page whose store may not have it. */
  readonly registration?: Registration | undefined;
  /** When the login began, in milliseconds since 1970. */
  readonly since: number;
}

/** The parts of a login that are known before the user is asked. */
export interface LoginPlan {
  readonly server: URL;
  readonly place: TokenPlace;
  readonly client: KnownClient;
  readonly registration?: Registration | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[] | undefined;
  readonly isBound: boolean;
  /** The key that the code is bound to. A login that leaves the page has none yet: only its tokens are bound. */
  readonly dpop: DpopKey | undefined;
  /** Further parameters of the application, such as `audience` or `login_hint`. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

/** Makes the record of a login. State and verifier are independent random values. */
export function createRecord(plan: LoginPlan): LoginRecord {
  const { server, place, client, registration, redirectUri, scopes, isBound } = plan;
  const { issuer, resource, isGuessed } = place;
  return {
    server: server.href,
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
    issuer: issuer.issuer,
    tokenEndpoint: issuer.token_endpoint,
    namesIssuer: issuer.authorization_response_iss_parameter_supported === true,
    clientId: client.id,
    redirectUri,
    resource,
    requested: scopes,
    isGuessed,
    isBound,
    registration,
    since: Date.now(),
  };
}

/** Makes the URL that the user is taken to. Servers that want that get the parameters beforehand (RFC 9126). */
export async function authorizationUrl(
  plan: LoginPlan,
  record: LoginRecord,
  fetch: AuthFetch,
  signal: AbortSignal,
): Promise<URL> {
  const { issuer } = plan.place;
  const url = readSecureUrl(issuer.authorization_endpoint, "The authorization endpoint");
  const parameters = await parametersOf(plan, record);
  if (issuer.require_pushed_authorization_requests !== true) {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }
  const client = { client_id: plan.client.id };
  const secrets = new RequestSecrets();
  try {
    const response = await pushedAuthorizationRequest(
      issuer,
      client,
      authenticationOf(issuer, plan.client),
      parameters,
      libraryOptions(secrets.watch(fetch), signal) as object,
    );
    const { request_uri: pushed } = await processPushedAuthorizationResponse(issuer, client, response);
    url.searchParams.set("client_id", plan.client.id);
    url.searchParams.set("request_uri", pushed);
    return url;
  } catch (error) {
    throw explain(error, issuer, secrets);
  }
}

async function parametersOf(plan: LoginPlan, record: LoginRecord): Promise<Record<string, string>> {
  const { scopes, dpop, place } = plan;
  // `offline_access` needs the consent of the user each time, or servers silently leave it out (OpenID Connect, 11).
  const wantsConsent = scopes?.includes("offline_access") === true;
  return {
    ...(wantsConsent && { prompt: "consent" }),
    ...plan.parameters,
    response_type: "code",
    client_id: plan.client.id,
    redirect_uri: plan.redirectUri,
    state: record.state,
    code_challenge: await calculatePKCECodeChallenge(record.verifier),
    code_challenge_method: "S256",
    ...(scopes !== undefined && { scope: scopes.join(" ") }),
    ...(place.resource !== undefined && { resource: place.resource }),
    ...(dpop !== undefined && { dpop_jkt: await dpop.thumbprint() }),
  };
}

/**
 * Reads the code of a response. Who sent it is checked first, by its `state` and then by its `iss`, as plain text: nothing of
 * a response of somebody else is acted on, or shown (2026-07-28, "Authorization Response Validation").
 */
export function readCode(response: URLSearchParams, record: LoginRecord, now: number = Date.now()): URLSearchParams {
  const [state, iss] = [onlyOne(response, "state"), onlyOne(response, "iss")];
  if (state !== record.state) {
    throw new AuthError(
      "LOGIN_FAILED",
      "The response belongs to another login, or to none: its `state` is not known. Log in again.",
    );
  }
  if (now - record.since > RECORD_MS) {
    throw new AuthError("LOGIN_CANCELLED", "The login took longer than ten minutes. Log in again.");
  }
  if (iss === undefined ? record.namesIssuer : iss !== record.issuer) {
    const message = `The response to the login does not come from ${record.issuer}, and was not used. Log in again.`;
    throw new AuthError("ISSUER_MISMATCH", message);
  }
  const error = onlyOne(response, "error");
  if (error !== undefined) throw explainRefusal(error, onlyOne(response, "error_description"), record);
  const code = onlyOne(response, "code");
  if (code === undefined) {
    throw new AuthError("LOGIN_FAILED", `The response of ${record.issuer} has neither a code nor an error.`);
  }
  return new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) });
}

function explainRefusal(error: string, description: string | undefined, { issuer }: LoginRecord): AuthError {
  const words = `${quoteWords(error)}${description === undefined ? "" : `: ${quoteWords(description)}`}`;
  if (error === "access_denied") return new AuthError("LOGIN_CANCELLED", `Access was denied at ${issuer}: ${words}.`);
  const isTemporary = error === "temporarily_unavailable" || error === "server_error";
  return new AuthError(isTemporary ? "TEMPORARY" : "LOGIN_FAILED", `The login at ${issuer} failed: ${words}.`);
}

/** The value of a parameter; a parameter that comes twice is none (RFC 6749, 3.1). */
function onlyOne(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) {
    throw new AuthError(
      "LOGIN_FAILED",
      `The response to the login has the parameter \`${name}\` ${values.length} times.`,
    );
  }
  return values[0];
}
