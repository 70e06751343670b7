import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { connect, textOf } from "@toolwire/client";
import { bearer, type ClientAuth, clientCredentials, oauth } from "@toolwire/client/auth";
import type { IdentityProvider } from "../../../../packages/client/test/auth/lab/identity-provider.ts";

/** A client that is connected. */
export interface RunningClient {
  /** Calls a tool, and returns its text. A user agrees to everything that is asked for. */
  call(name: string): Promise<string>;
  close(): Promise<void>;
}

/** Connects a client to a server, whose tokens come from the authorization server. */
export type StartClient = (url: string, idp: IdentityProvider) => Promise<RunningClient>;

/** Clients of the authorization server that are machines. */
export const MACHINE = { id: "machine", secret: "a-secret-for-tests-only" };
export const SIGNER = { id: "signer", algorithm: "ES256" } as const;

/** A client of users that the authorization server knows beforehand. */
export const DESKTOP = "desktop";

/** Where users come back to. */
export const REDIRECT_URI = "http://127.0.0.1:33418/callback";

type Era = "2026-07-28" | "legacy";

/** Our client, by a user who logs in at once. */
export function ourUser(era: Era): StartClient {
  return (url, idp) =>
    startOurs(url, era, oauth({ login: { redirectUri: REDIRECT_URI, authorize: (page) => idp.logIn(page) } }));
}

export const ourMachine: StartClient = (url, { issuer }) =>
  startOurs(url, "2026-07-28", clientCredentials({ ...MACHINE, issuer }));

export function ourSigner(key: JsonWebKey): StartClient {
  return (url, { issuer }) => startOurs(url, "2026-07-28", clientCredentials({ ...SIGNER, key, issuer }));
}

/** Our client with a token that the application got by itself. */
export const ourBearer: StartClient = async (url, idp) => {
  const getToken = async (): Promise<string> => {
    const response = await fetch(`${idp.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${MACHINE.id}:${MACHINE.secret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: url, scope: "mcp:basic" }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  let token = await getToken();
  return startOurs(
    url,
    "2026-07-28",
    bearer(async ({ rejected }) => {
      if (rejected !== undefined) token = await getToken();
      return token;
    }),
  );
};

async function startOurs(url: string, era: Era, auth: ClientAuth): Promise<RunningClient> {
  const client = await connect(url, { auth, ...(era === "legacy" ? { era } : { revision: era }) });
  return { call: async (name) => textOf(await client.callTool(name)), close: () => client.close() };
}

/** The official client, by a provider as its users write them. With `id`, the authorization server knows it beforehand. */
export function theirUser(era: Era, id?: string): StartClient {
  return async (url, idp) => {
    const provider = new UserProvider(id === undefined ? undefined : { client_id: id, issuer: idp.issuer });
    return startTheirs(url, era, provider, async (transport) => {
      const end = await idp.logIn(provider.page ?? "");
      await transport.finishAuth(new URL(end).searchParams);
    });
  };
}

export const theirMachine: StartClient = (url, { issuer }) =>
  startTheirs(
    url,
    "2026-07-28",
    new ClientCredentialsProvider({
      clientId: MACHINE.id,
      clientSecret: MACHINE.secret,
      scope: "mcp:basic",
      expectedIssuer: issuer,
    }),
  );

export function theirSigner(key: JsonWebKey): StartClient {
  return (url, { issuer }) =>
    startTheirs(
      url,
      "2026-07-28",
      new PrivateKeyJwtProvider({
        clientId: SIGNER.id,
        privateKey: { ...key },
        algorithm: SIGNER.algorithm,
        scope: "mcp:basic",
        expectedIssuer: issuer,
      }),
    );
}

class UserProvider implements OAuthClientProvider {
  page: URL | undefined;
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    client_name: "official",
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = "";

  constructor(client: StoredOAuthClientInformation | undefined) {
    this.#client = client;
  }

  state = (): string => crypto.randomUUID();
  clientInformation = (): StoredOAuthClientInformation | undefined => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation): void => void (this.#client = client);
  tokens = (): StoredOAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens): void => void (this.#tokens = tokens);
  redirectToAuthorization = (url: URL): void => void (this.page = url);
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.#discovery = state);
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovery;
  codeVerifier = (): string => this.#verifier;
}

async function startTheirs(
  url: string,
  era: Era,
  authProvider: OAuthClientProvider,
  logIn?: (transport: StreamableHTTPClientTransport) => Promise<void>,
): Promise<RunningClient> {
  let [client, transport] = make();
  /** Does work, and once more after a login: the SDK wants another transport then. */
  const withLogin = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (logIn === undefined || !(error instanceof UnauthorizedError)) throw error;
      await logIn(transport);
      await client.close();
      [client, transport] = make();
      await client.connect(transport as Transport);
      return work();
    }
  };
  await withLogin(async () => {
    if (client.transport === undefined) await client.connect(transport as Transport);
  });
  return {
    async call(name) {
      const { content } = await withLogin(() => client.callTool({ name, arguments: {} }));
      return (content as readonly { readonly text?: string }[])[0]?.text ?? "";
    },
    close: () => client.close(),
  };

  function make(): [Client, StreamableHTTPClientTransport] {
    const mode = era === "legacy" ? era : { pin: era };
    return [
      new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode } }),
      new StreamableHTTPClientTransport(new URL(url), { authProvider }),
    ];
  }
}
