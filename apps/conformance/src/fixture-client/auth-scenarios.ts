import type { ConnectOptions } from "@toolwire/client";
import {
  clientCredentials,
  enterprise,
  type LoginAttempt,
  oauth,
  type OAuthClient,
  type OAuthOptions,
  workload,
} from "@toolwire/client/auth";
import { z } from "zod";

/** The way in which the client logs in, in one scenario. */
export interface AuthScenario {
  readonly name: string;
  readonly prepare: (server: URL, context: unknown) => ConnectOptions | Promise<ConnectOptions>;
}

/** The authorization servers of the suite ask no user, and redirect at once. */
const login: LoginAttempt = {
  redirectUri: "http://localhost:3000/callback",
  async authorize(url, { signal }) {
    const response = await fetch(url, { redirect: "manual", signal });
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url.origin} answered with status ${response.status} and no redirect.`);
    return location;
  },
};

/** A login of a user, by a client that the suite does not know. */
function logIn(client: OAuthClient = { name: "toolwire-conformance-client" }, more: OAuthOptions = {}): ConnectOptions {
  return { auth: oauth({ client, login, ...more }) };
}

/** The scenarios in which a user logs in, and nothing but discovery, registration and scopes matters. */
const LOGINS = [
  "2025-03-26-oauth-endpoint-fallback",
  "2025-03-26-oauth-metadata-backcompat",
  "authorization-server-migration",
  "dpop",
  "dpop-nonce",
  "iss-normalized",
  "iss-not-advertised",
  "iss-supported",
  "iss-supported-missing",
  "iss-unexpected",
  "iss-wrong-issuer",
  "metadata-default",
  "metadata-issuer-mismatch",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "offline-access-not-supported",
  "offline-access-scope",
  "resource-mismatch",
  "scope-from-scopes-supported",
  "scope-from-www-authenticate",
  "scope-omitted-when-undefined",
  "scope-retry-limit",
  "scope-step-up",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-none",
  "token-endpoint-auth-post",
];

/** All scenarios about authorization. */
export const authScenarios: readonly AuthScenario[] = [
  ...LOGINS.map((name) => ({ name: `auth/${name}`, prepare: () => logIn() })),
  {
    name: "auth/basic-cimd",
    prepare: () => logIn({ metadataUrl: "https://conformance-test.local/client-metadata.json" }),
  },
  {
    name: "auth/pre-registration",
    prepare(_, context) {
      const { client_id: id, client_secret: secret, issuer } = PreRegistered.parse(context);
      return logIn({ id, secret, issuer });
    },
  },
  {
    name: "auth/client-credentials-basic",
    async prepare(server, context) {
      const { client_id: id, client_secret: secret } = Secret.parse(context);
      return { auth: clientCredentials({ id, secret, issuer: await issuerOf(server) }) };
    },
  },
  {
    name: "auth/client-credentials-jwt",
    async prepare(server, context) {
      const { client_id: id, private_key_pem: key, signing_algorithm: algorithm } = Key.parse(context);
      return { auth: clientCredentials({ id, key, algorithm, issuer: await issuerOf(server) }) };
    },
  },
  {
    name: "auth/enterprise-managed-authorization",
    async prepare(server, context) {
      const told = Enterprise.parse(context);
      const issuer = await issuerOf(server);
      const client = { id: told.client_id, secret: told.client_secret, issuer };
      const idp = { id: told.idp_client_id, issuer: told.idp_issuer, tokenEndpoint: told.idp_token_endpoint };
      return { auth: enterprise({ idp, idToken: told.idp_id_token, client }) };
    },
  },
  {
    name: "auth/wif-jwt-bearer",
    async prepare(server, context) {
      const { client_id: id, valid_jwt: token } = Workload.parse(context);
      return { auth: workload({ id, issuer: await issuerOf(server), assertion: () => token }) };
    },
  },
];

const Secret = z.object({ client_id: z.string(), client_secret: z.string() });
const PreRegistered = Secret.extend({ issuer: z.string() });
const Key = z.object({ client_id: z.string(), private_key_pem: z.string(), signing_algorithm: z.literal("ES256") });
const Enterprise = Secret.extend({
  idp_client_id: z.string(),
  idp_id_token: z.string(),
  idp_issuer: z.string(),
  idp_token_endpoint: z.string(),
});
const Workload = z.object({ client_id: z.string(), valid_jwt: z.string() });

/** The issuer that machines have credentials for. The suite tells it to one scenario only, so it is read from the server. */
async function issuerOf(server: URL): Promise<string> {
  const response = await fetch(`${server.origin}/.well-known/oauth-protected-resource${server.pathname}`);
  const { authorization_servers: issuers } = z
    .object({ authorization_servers: z.array(z.string()) })
    .parse(await response.json());
  return issuers[0] ?? "";
}
