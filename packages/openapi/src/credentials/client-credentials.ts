/** Access tokens for the program itself: the client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). */
import {
  type AuthorizationServer,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from "oauth4webapi";
import { UsageError } from "@toolwire/protocol";
import {
  expectChoice,
  expectMilliseconds,
  expectOption,
  expectOptions,
  expectTexts,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { type Awaitable, ToolError } from "@toolwire/server";
import { defaultCaller } from "../caller/default-caller.ts";
import type { HttpCaller } from "../caller/http-caller.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Auth, AuthSubject } from "./auth.ts";
import { type CredentialValue, noteSecret, withCredential } from "./credential-value.ts";
import { type AccessToken, TokenCache } from "./token-cache.ts";

/** The options of {@link clientCredentials}. */
export interface ClientCredentialsOptions {
  /** The token endpoint of the authorization server. */
  readonly tokenUrl: string;
  readonly clientId: CredentialValue;
  readonly clientSecret: CredentialValue;
  /** The scopes to ask for, with spaces between them. */
  readonly scope?: string | undefined;
  /** The API that the token is for, as some servers name it. */
  readonly audience?: string | undefined;
  /** The API that the token is for (RFC 8707). */
  readonly resource?: string | undefined;
  /** How the client authenticates: in the `Authorization` header (default), or in the body. */
  readonly authentication?: "basic" | "body" | undefined;
  /** How many milliseconds the token endpoint may take. Default 10 000. */
  readonly timeout?: number | undefined;
  /** Sends the requests for tokens. Default: the guarded caller that all tools share. */
  readonly http?: HttpCaller | undefined;
}

const OPTIONS: OptionNames<ClientCredentialsOptions> = {
  tokenUrl: true,
  clientId: true,
  clientSecret: true,
  scope: true,
  audience: true,
  resource: true,
  authentication: true,
  timeout: true,
  http: true,
};

/** The lifetime of a token whose server does not tell, in milliseconds. */
const DEFAULT_LIFETIME = 5 * 60_000;
const MAX_TOKEN_RESPONSE = 64 * 1024;

/** The id and the secret of a client. */
interface Client {
  readonly id: string;
  readonly secret: string;
}

/**
 * Authenticates with an access token of OAuth 2.0, which it obtains with the id and the secret of a client. Tokens are kept until
 * shortly before their end; calls that need one at the same time share a request; a token that the API refuses is replaced once.
 */
export function clientCredentials(options: ClientCredentialsOptions): Auth {
  expectOptions("clientCredentials", options, OPTIONS);
  expectTexts(options, ["scope", "audience", "resource"]);
  for (const name of ["clientId", "clientSecret"] as const) {
    const type = typeof options[name];
    if (type === "string" || type === "function") continue;
    throw new UsageError("INVALID_ARGUMENT", `\`${name}\` must be text, or a function that returns text.`);
  }
  expectTokenUrl(options.tokenUrl);
  expectChoice("authentication", ["basic", "body"], options.authentication);
  expectMilliseconds("timeout", options.timeout, 0, 1);
  return new ClientCredentialsAuth(options);
}

function expectTokenUrl(tokenUrl: string): void {
  const url = URL.canParse(tokenUrl) ? new URL(tokenUrl) : undefined;
  const fits = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.hash === "";
  expectOption("tokenUrl", tokenUrl, fits, "an absolute URL that begins with https:// or http://");
}

class ClientCredentialsAuth implements Auth {
  readonly kind = "oauth2 client credentials";
  readonly #options: ClientCredentialsOptions;
  readonly #tokens = new TokenCache();
  /** The token that a call was sent with, so that only this one is dropped if the API refuses it. */
  readonly #used = new WeakMap<AuthSubject, { readonly key: string; readonly token: string }>();

  constructor(options: ClientCredentialsOptions) {
    this.#options = options;
  }

  apply(request: HttpRequest, subject: AuthSubject): Awaitable<void> {
    const { clientId, clientSecret } = this.#options;
    if (typeof clientId === "string" && typeof clientSecret === "string") {
      return this.#authorize(request, subject, { id: clientId, secret: clientSecret });
    }
    return this.#findClient(subject).then((client) => this.#authorize(request, subject, client));
  }

  renew(subject: AuthSubject): boolean {
    const used = this.#used.get(subject);
    return used !== undefined && this.#tokens.drop(used.key, used.token);
  }

  async #findClient(subject: AuthSubject): Promise<Client> {
    let id = "";
    let secret = "";
    await withCredential(this.#options.clientId, subject, (text) => {
      id = text;
    });
    await withCredential(this.#options.clientSecret, subject, (text) => {
      secret = text;
    });
    return { id, secret };
  }

  #authorize(request: HttpRequest, subject: AuthSubject, client: Client): Awaitable<void> {
    // The secret is part of the key: a caller with a wrong secret must not get the token of another.
    const key = JSON.stringify([client.id, client.secret]);
    const use = (token: string): void => {
      this.#used.set(subject, { key, token });
      request.headers["authorization"] = `Bearer ${token}`;
      noteSecret(request, token);
      noteSecret(request, client.secret);
    };
    const token = this.#tokens.get(key, () => obtainToken(this.#options, client));
    return typeof token === "string" ? use(token) : token.then(use);
  }
}

async function obtainToken(options: ClientCredentialsOptions, client: Client): Promise<AccessToken> {
  const { tokenUrl, scope, audience, resource, authentication, http = defaultCaller, timeout = 10_000 } = options;
  // The library refuses plain HTTP, which an operator may have configured for a server in their own network.
  const endpoint = new URL(tokenUrl.replace(/^http:/i, "https:"));
  const server: AuthorizationServer = { issuer: endpoint.origin, token_endpoint: endpoint.href };
  const parameters = Object.entries({ scope, audience, resource }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const authenticate = authentication === "body" ? ClientSecretPost(client.secret) : ClientSecretBasic(client.secret);
  try {
    const metadata = { client_id: client.id };
    const response = await clientCredentialsGrantRequest(server, metadata, authenticate, parameters, {
      [customFetch]: (_, init) => post(http, tokenUrl, init.headers, String(init.body), timeout),
    });
    const { access_token: token, expires_in: seconds } = await processClientCredentialsResponse(
      server,
      metadata,
      response,
    );
    return { token, lifetime: seconds === undefined ? DEFAULT_LIFETIME : seconds * 1000 };
  } catch (error) {
    throw explainFailure(error);
  }
}

/** Sends a request for a token under the same rules as any other. */
async function post(
  http: HttpCaller,
  url: string,
  headers: Record<string, string>,
  body: string,
  timeout: number,
): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  const request: HttpRequest = { method: "POST", origin, path: pathname + search, headers: { ...headers }, body };
  const response = await http.send(request, { timeout, maxBytes: MAX_TOKEN_RESPONSE, retries: 1 });
  return new Response(response.body as BodyInit, { status: response.status, headers: response.headers });
}

/** Tells the model that there is no token. The reason is a code of OAuth such as `invalid_client`, never a text of the server. */
function explainFailure(error: unknown): ToolError {
  const code = error instanceof ResponseBodyError && /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : "";
  return new ToolError(`Error: Upstream API could not be called, because there is no access token for it${code}`);
}
