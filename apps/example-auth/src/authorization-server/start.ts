import { Provider } from "oidc-provider";
import { listen, type LocalServer } from "../listen.ts";
import { CompanyLogin, type CompanyOptions } from "./company.ts";
import { configure, type ProtectedResource } from "./configuration.ts";
import { CALLBACK_PATH, Interactions } from "./interactions.ts";

/** How to start the authorization server. */
export interface AuthorizationServerOptions {
  readonly port: number;
  readonly resource: ProtectedResource;
  readonly company: Pick<CompanyOptions, "issuer" | "client">;
}

/**
 * Starts an authorization server for MCP clients: `oidc-provider`, with the company's login in place of accounts of its own. It keeps
 * everything in memory; `adapter` of `oidc-provider` connects a database.
 */
export function startAuthorizationServer(options: AuthorizationServerOptions): Promise<LocalServer> {
  const { port, resource, company } = options;
  return listen(port, async (url) => {
    const provider = new Provider(url, configure(resource));
    const login = new CompanyLogin({ ...company, redirectUri: `${url}${CALLBACK_PATH}` });
    const interactions = new Interactions(provider, login, resource, url);
    const handle = provider.callback();
    return (request, response) => {
      if (!interactions.accept(request, response)) void handle(request, response);
    };
  });
}
