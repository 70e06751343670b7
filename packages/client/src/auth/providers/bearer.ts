import { AuthError, UsageError } from "@toolwire/protocol";
import { readOAuthChallenge } from "../discovery/challenge.ts";
import type { AuthFields, AuthRefusal, ClientAuth } from "../../transports/client-auth.ts";

/** Returns a token, or nothing if there is none. `rejected` is a token that the server has just refused. */
export type TokenCallback = (context: {
  readonly server: URL;
  readonly rejected: string | undefined;
}) => string | undefined | Promise<string | undefined>;

const EXPECTED = "a token, or a function that returns one";

/**
 * Sends a token that the application has: a text, or a function that is called before every request. If the server refuses
 * the token, the function is asked once more, and the request is sent again if it has another one.
 */
export function bearer(token: string | TokenCallback): ClientAuth {
  if (typeof token === "string") expectToken(token);
  else if (typeof token !== "function") throw new UsageError("INVALID_ARGUMENT", `\`bearer\` takes ${EXPECTED}.`);
  const ask: TokenCallback = typeof token === "string" ? () => token : token;
  return {
    prepare({ server }) {
      const now = ask({ server: server.url, rejected: undefined });
      return now instanceof Promise ? now.then(toFields) : toFields(now);
    },
    async challenged(refusal: AuthRefusal) {
      const { status, request, sent, previous } = refusal;
      const rejected = sent["authorization"]?.replace(/^Bearer /, "");
      if (status === 401 && previous.length === 0) {
        const next = await ask({ server: request.server.url, rejected });
        if (next !== undefined && next !== rejected) return;
      }
      throw explain(refusal, rejected);
    },
  };
}

function toFields(token: string | undefined): AuthFields {
  return token === undefined ? {} : { authorization: `Bearer ${expectToken(token)}` };
}

/** Checks the characters of a token (RFC 6750, 2.1), so that none can end the header. The token is never shown. */
function expectToken(token: unknown): string {
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    "INVALID_ARGUMENT",
    "A token must be a text of visible ASCII characters, without blanks or line breaks.",
  );
}

function explain({ status, header, request }: AuthRefusal, rejected: string | undefined): AuthError {
  const { origin } = request.url;
  const challenge = header("www-authenticate");
  if (status === 403) {
    const { error, scopes } = readOAuthChallenge(challenge);
    const message = `${origin} does not allow this request with this token.`;
    const lacksScopes = error === "insufficient_scope" && scopes !== undefined;
    if (!lacksScopes) return new AuthError("FORBIDDEN", message, { challenge });
    return new AuthError("INSUFFICIENT_SCOPE", `${message} It lacks scopes.`, { challenge, scopes });
  }
  const what =
    rejected === undefined ? "asks for a token, and `bearer` had none" : "does not accept the token of `bearer`";
  return new AuthError("UNAUTHORIZED", `${origin} ${what}.`, { challenge });
}
