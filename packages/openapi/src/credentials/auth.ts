import type { Awaitable } from "@toolwire/server";
import type { HttpRequest } from "../request/http-request.ts";

/** The call that needs a credential. */
export interface AuthSubject {
  /** The id of the authenticated caller of the tool, for credentials that each caller has of their own. */
  readonly principal: string | undefined;
  readonly signal: AbortSignal;
}

/** A way to authenticate requests to an API: made by `bearer()`, `apiKey()`, `basic()`, `headers()` or `clientCredentials()`. */
export interface Auth {
  /** Names the kind in reports, such as `bearer`. */
  readonly kind: string;
  /**
   * Adds the credential to a request that is complete otherwise, so that no argument can overwrite it, and to its `secrets`.
   * Returns a promise only if it has to wait.
   *
   * @throws ToolError with a text for the model if the caller has no credential
   */
  apply(request: HttpRequest, subject: AuthSubject): Awaitable<void>;
  /** The API has refused the credential with a 401. Returns whether another one may be obtained, to try once more. */
  renew?(subject: AuthSubject): boolean;
}
