/**
 * Simulates the login that a company has already: any OpenID provider, such as Google, Entra or Keycloak. It knows nothing of MCP, and
 * only one client may use it: the authorization server of this example.
 */
import { generateKeyPairSync } from "node:crypto";
import { type Configuration, Provider } from "oidc-provider";
import { listen, type LocalServer } from "./listen.ts";

/** The client by which the authorization server is known to the company's login. */
export const COMPANY_CLIENT = { id: "toolwire-example", secret: "only-for-this-example" };

/** Starts the simulated login. It takes any name and password. `redirectUri` is where people come back to. */
export function startCompanyLogin(port: number, redirectUri: string): Promise<LocalServer> {
  return listen(port, async (url) => new Provider(url, configure(redirectUri)).callback());
}

function configure(redirectUri: string): Configuration {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    clients: [
      {
        client_id: COMPANY_CLIENT.id,
        client_secret: COMPANY_CLIENT.secret,
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "company" } as never] },
    // Browsers share cookies among the ports of a host, and the authorization server has the usual names.
    cookies: {
      keys: [crypto.randomUUID()],
      names: { session: "company_session", interaction: "company_interaction", resume: "company_resume" },
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // The provider's own pages, which take any name: this is what is simulated.
    features: { devInteractions: { enabled: true } },
  };
}
