import type { AuthFields, AuthRequest } from "../../transports/client-auth.ts";
import type { DpopKey } from "../grants/dpop.ts";
import type { Grant } from "../store/records.ts";

/** The fields of a request without credentials. */
export const NO_FIELDS: AuthFields = {};

/** Makes the header fields of requests from a grant. */
export class RequestFields {
  /** The fields of the last token, which most requests share. */
  #lastToken: string | undefined;
  #lastFields: AuthFields = NO_FIELDS;

  /** The fields of one request: at once, unless the token is bound to a key, which signs every request. */
  of(grant: Grant, key: DpopKey | undefined, { method, url }: AuthRequest): AuthFields | Promise<AuthFields> {
    const { accessToken, tokenType } = grant;
    if (tokenType !== "DPoP" || key === undefined) {
      if (accessToken === this.#lastToken) return this.#lastFields;
      this.#lastToken = accessToken;
      this.#lastFields = { authorization: `Bearer ${accessToken}` };
      return this.#lastFields;
    }
    return key.prove(method, url, accessToken).then((dpop) => ({ authorization: `DPoP ${accessToken}`, dpop }));
  }
}

/** The token in the fields of a request. */
export function tokenOf({ authorization }: AuthFields): string | undefined {
  return authorization?.slice(authorization.indexOf(" ") + 1);
}
