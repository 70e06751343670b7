import { AuthError } from "@toolwire/protocol";
import {
  type AuthorizationServer,
  type ClientAuth as Authenticate,
  ClientSecretPost,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from "oauth4webapi";
import { shown } from "../network/network.ts";

/** A client as one authorization server knows it. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string | undefined;
  readonly key?: { readonly key: CryptoKey; readonly id?: string | undefined } | undefined;
  /** The method that the registration settled. Absent: chosen by the metadata of the authorization server. */
  readonly method?: string | undefined;
  /** How the id came about. Only a dynamic one can be replaced by another registration. */
  readonly origin: "configured" | "document" | "dynamic";
  /** The audience of signed assertions, where it is not the issuer. */
  readonly assertionAudience?: string | undefined;
}

/** The methods that are understood, best first. */
const METHODS = ["private_key_jwt", "client_secret_basic", "client_secret_post", "none"];

/** Chooses how a client authenticates: as it was registered, else the best that both sides can do. */
function chooseMethod(server: AuthorizationServer, client: KnownClient): string {
  const listed = server.token_endpoint_auth_methods_supported;
  const possible = METHODS.filter((method) => canUse(method, client));
  if (client.method !== undefined && possible.includes(client.method)) return client.method;
  // RFC 8414: a server that lists none takes Basic. A client without a secret cannot send any.
  if (!Array.isArray(listed)) {
    return possible[0] === "private_key_jwt"
      ? possible[0]
      : client.secret === undefined
        ? "none"
        : "client_secret_basic";
  }
  const chosen = possible.find((method) => listed.includes(method));
  if (chosen !== undefined) return chosen;
  // A public client sends nothing but its id, whether or not a server lists that.
  if (client.secret === undefined && client.key === undefined) return "none";
  const message = `The authorization server ${shown(server.issuer)} takes none of the ways in which this client can authenticate (${possible.join(", ")}).`;
  throw new AuthError("UNSUPPORTED_SERVER", message);
}

/** Makes the function by which `oauth4webapi` authenticates a client. */
export function authenticationOf(server: AuthorizationServer, client: KnownClient): Authenticate {
  const method = chooseMethod(server, client);
  if (method === "client_secret_basic") return basic(client.secret!);
  if (method === "client_secret_post") return ClientSecretPost(client.secret!);
  if (method !== "private_key_jwt") return None();
  const { key, id } = client.key!;
  const audience = client.assertionAudience;
  return PrivateKeyJwt(
    id === undefined ? key : { key, kid: id },
    audience === undefined ? {} : { [modifyAssertion]: (_header, payload) => void (payload["aud"] = audience) },
  );
}

/**
 * Sends id and secret by HTTP Basic, form-encoded (RFC 6749, 2.3.1) as the Web platform does it. `ClientSecretBasic` of
 * `oauth4webapi` also escapes `-`, `.`, `_` and `*`, which every strict server decodes; but some servers, and the official
 * conformance suite, compare the text as it comes.
 */
export function basic(secret: string): Authenticate {
  return (_server, client, _body, headers) => {
    const credentials = `${formEncode(client.client_id)}:${formEncode(secret)}`;
    headers.set("authorization", `Basic ${btoa(credentials)}`);
  };
}

/** Encodes a value by the rules of `application/x-www-form-urlencoded`. */
function formEncode(value: string): string {
  return new URLSearchParams({ "": value }).toString().slice(1);
}

function canUse(method: string, { secret, key }: KnownClient): boolean {
  if (method === "private_key_jwt") return key !== undefined;
  return method === "none" ? key === undefined : secret !== undefined;
}
