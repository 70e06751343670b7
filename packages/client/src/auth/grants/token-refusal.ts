import { AuthError, type AuthErrorCode } from "@toolwire/protocol";
import { brandError, quoteWords } from "@toolwire/protocol/internal";
import { ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";
import type { IssuerMetadata } from "../discovery/authorization-server.ts";
import { shown } from "../network/network.ts";
import type { RequestSecrets } from "./request-secrets.ts";

/** An authorization server has refused a request for tokens. */
export class TokenRefused extends AuthError {
  static {
    brandError(this, "TokenRefused");
  }

  /** The error code of OAuth, such as `invalid_grant`. */
  readonly reason: string;

  constructor(code: AuthErrorCode, message: string, reason: string) {
    super(code, message);
    this.reason = reason;
  }

  /** Whether the authorization server does not know the client, or does not let it do this. */
  get isAboutClient(): boolean {
    return this.reason === "invalid_client" || this.reason === "unauthorized_client";
  }
}

/** The codes of OAuth that say nothing about the grant. */
const TEMPORARY_ERRORS: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error", "slow_down"]);

/** Explains a failure without the parts that may hold secrets: what was sent, and the causes of `oauth4webapi`, which hold whole responses. */
export function explain(error: unknown, { issuer }: Pick<IssuerMetadata, "issuer">, sent: RequestSecrets): Error {
  if (error instanceof AuthError || (error as Partial<Error>).name === "AbortError") return error as Error;
  const place = shown(issuer);
  if (error instanceof ResponseBodyError) {
    const { error: reason, status, error_description: description } = error;
    const quote = (text: string): string => quoteWords(sent.clear(text));
    const words = `${quote(reason)}${description === undefined ? "" : `: ${quote(description)}`}`;
    if (status === 429 || status === 408 || TEMPORARY_ERRORS.has(reason)) {
      return new AuthError(
        "TEMPORARY",
        `The authorization server ${place} is not available (${words}). Try again later.`,
      );
    }
    return new TokenRefused(
      "LOGIN_FAILED",
      `The authorization server ${place} refuses to issue a token: ${words}.`,
      sent.clear(reason),
    );
  }
  if (error instanceof WWWAuthenticateChallengeError && error.status === 401) {
    const message = `The authorization server ${place} does not accept how this client authenticates (HTTP status 401).`;
    return new TokenRefused("LOGIN_FAILED", message, "invalid_client");
  }
  // Neither tokens nor an error, or the server has failed, whatever its body says: a gateway in front of the server, or a page. Nothing is known about the grant.
  const message = `The authorization server ${place} gave an answer that cannot be read. Try again later.`;
  return new AuthError("TEMPORARY", message);
}
