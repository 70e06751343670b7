import { AuthError } from "@toolwire/protocol";
import { brandError, quoteWords } from "@toolwire/protocol/internal";
import {
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  ResponseBodyError,
} from "oauth4webapi";
import type { TokenPlace } from "../discovery/discover.ts";
import { libraryOptions } from "../network/library-options.ts";
import { type AuthFetch, parseObject, shown } from "../network/network.ts";
import { zoneOfHost } from "../network/zones.ts";
import type { Registration } from "../store/records.ts";

/** How a client presents itself to authorization servers that do not know it. */
export interface ClientDescription {
  readonly name: string;
  /** The web page of the application. */
  readonly uri?: string | undefined;
  readonly logoUri?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly softwareVersion?: string | undefined;
}

/** A registration that is wanted. */
export interface RegistrationWish {
  readonly place: TokenPlace;
  readonly redirectUri: string;
  readonly usesDpop: boolean;
  readonly description: ClientDescription;
}

/** An authorization server refuses a redirect URI. Another one may do. */
export class RedirectUriRefused extends AuthError {
  static {
    brandError(this, "RedirectUriRefused");
  }
}

/** Registers a client (RFC 7591). Rejects with `REGISTRATION_FAILED`, in the words of the authorization server. */
export async function registerClient(
  wish: RegistrationWish,
  fetch: AuthFetch,
  signal: AbortSignal,
): Promise<Registration> {
  const { place, redirectUri } = wish;
  const { issuer } = place;
  const method = chooseRegisteredMethod(issuer.token_endpoint_auth_methods_supported);
  try {
    const response = await dynamicClientRegistrationRequest(
      issuer,
      metadataOf(wish, method) as never,
      libraryOptions(fetch, signal) as object,
    );
    const client = await processDynamicClientRegistrationResponse(await toStandardResponse(response));
    const secret = client.client_secret as string | undefined;
    const expires = Number(client["client_secret_expires_at"]);
    const given = client.token_endpoint_auth_method;
    return {
      issuer: issuer.issuer,
      clientId: client.client_id,
      clientSecret: secret,
      secretExpiresAt: secret !== undefined && expires > 0 ? expires * 1000 : undefined,
      // A server that says nothing has agreed to the method that was asked for.
      method: typeof given === "string" ? given : method,
      redirectUri,
    };
  } catch (error) {
    throw explain(error, issuer.issuer, redirectUri);
  }
}

function metadataOf(wish: RegistrationWish, method: string): object {
  const { description, redirectUri, usesDpop } = wish;
  return {
    client_name: description.name,
    ...(description.uri !== undefined && { client_uri: description.uri }),
    ...(description.logoUri !== undefined && { logo_uri: description.logoUri }),
    ...(description.softwareId !== undefined && { software_id: description.softwareId }),
    ...(description.softwareVersion !== undefined && { software_version: description.softwareVersion }),
    // No `scope`: servers would refuse this client any other one later, when a call needs it.
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    application_type: isNative(redirectUri) ? "native" : "web",
    ...(usesDpop && { dpop_bound_access_tokens: true }),
  };
}

/** A public client where that is possible: a secret that is issued to anybody keeps nobody out. */
function chooseRegisteredMethod(listed: readonly string[] | undefined): string {
  if (!Array.isArray(listed) || listed.includes("none")) return "none";
  return ["client_secret_basic", "client_secret_post"].find((method) => listed.includes(method)) ?? "none";
}

/** Whether users are sent back to a program on their machine rather than to a web site. */
function isNative(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return !protocol.startsWith("http") || zoneOfHost(hostname) === "loopback";
}

/** Makes a response that `oauth4webapi` takes: some servers answer with 200, or do not say when a secret ends. */
async function toStandardResponse(response: Response): Promise<Response> {
  const text = await response.text();
  const body = parseObject(text);
  const { status, headers } = response;
  if (body === undefined) return new Response(text, { status, headers });
  const { error, client_id: id, client_secret_expires_at: end } = body;
  if (error !== undefined && id === undefined && status < 300) return jsonResponse(body, 400);
  const whole = body["client_secret"] === undefined ? body : { ...body, client_secret_expires_at: Number(end ?? 0) };
  return jsonResponse(whole, status === 200 ? 201 : status);
}

function jsonResponse(body: object, status: number): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function explain(error: unknown, issuer: string, redirectUri: string): unknown {
  if (error instanceof AuthError || (error as Partial<Error>).name === "AbortError") return error;
  const place = `The authorization server ${shown(issuer)}`;
  if (!(error instanceof ResponseBodyError)) {
    return new AuthError("REGISTRATION_FAILED", `${place} did not register this client: its answer cannot be read.`);
  }
  const { error: reason, error_description: description, status } = error;
  const words = `${quoteWords(reason)}${description === undefined ? "" : `: ${quoteWords(description)}`}`;
  if (status >= 500 || status === 429) return new AuthError("TEMPORARY", `${place} is not available (${words}).`);
  const message = `${place} does not register this client with ${shown(redirectUri)} as its redirect URI: ${words}.`;
  const advice = "Register one by hand, and give it as `client: { id, issuer }`.";
  const Refusal = reason === "invalid_redirect_uri" ? RedirectUriRefused : AuthError;
  return new Refusal("REGISTRATION_FAILED", `${message} ${advice}`);
}
