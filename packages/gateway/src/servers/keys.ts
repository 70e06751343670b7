import { AuthError, type Principal } from "@toolwire/server";
import type { HttpOptions } from "@toolwire/server/http";
import type { ApiKey, KeyStore } from "../storage/storage.ts";

/** The head of a request. */
export type RequestHead = Parameters<NonNullable<HttpOptions["authenticate"]>>[0];

/**
 * Checks API keys: `Authorization: Bearer twk_…`, or `X-Api-Key` for programs that cannot set the other one. Costs no query. A key
 * has `scopes`, all that its server knows: an admin has given it away for the whole server.
 */
export function createKeyCheck(
  slug: string,
  keys: Pick<KeyStore, "find">,
  scopes?: readonly string[],
): (request: Pick<RequestHead, "header">) => Principal {
  const challenge = 'Bearer realm="toolwire-gateway"';
  return ({ header }): Principal => {
    const secret = presentedKey(header("authorization"), header("x-api-key"));
    if (secret === undefined) {
      const message = "This server needs an API key: send it as `Authorization: Bearer twk_…`, or as `X-Api-Key`.";
      throw new AuthError("UNAUTHORIZED", message, { challenge });
    }
    const key = keys.find(secret);
    if (key === undefined) {
      const message = "This API key does not exist, was revoked, or has expired.";
      throw new AuthError("UNAUTHORIZED", message, { challenge: `${challenge}, error="invalid_token"` });
    }
    if (key.servers !== undefined && !key.servers.includes(slug)) {
      throw new AuthError("FORBIDDEN", "This API key is not for this server.");
    }
    return { id: principalOf(key), claims: { key: key.id }, ...(scopes !== undefined && { scopes }) };
  };
}

/** The caller that a key stands for. Several keys may stand for one caller, so that one can replace another. */
function principalOf(key: ApiKey): string {
  return key.principal ?? key.id;
}

/** Whether a request presents an API key. Everything else in `Authorization` is a token. */
export function presentsKey({ header }: Pick<RequestHead, "header">): boolean {
  const authorization = header("authorization");
  if (authorization === undefined) return header("x-api-key") !== undefined;
  return /^bearer +twk_/i.test(authorization);
}

function presentedKey(authorization: string | undefined, apiKey: string | undefined): string | undefined {
  const bearer = /^bearer +(\S{1,512})$/i.exec(authorization ?? "")?.[1];
  return bearer ?? (apiKey === undefined || apiKey === "" ? undefined : apiKey.slice(0, 512));
}
