import { jwt, protect } from "@toolwire/server/auth";
import { serveHttp } from "@toolwire/server/http";
import { CALLBACK_PATH } from "./authorization-server/interactions.ts";
import { startAuthorizationServer } from "./authorization-server/start.ts";
import { COMPANY_CLIENT, startCompanyLogin } from "./company-login.ts";
import { createNotesServer, SCOPES } from "./notes-server.ts";

/** The ports of the three servers. */
export interface ExamplePorts {
  readonly mcp: number;
  readonly authorization: number;
  readonly company: number;
}

/** The running example. */
export interface Example {
  /** The protected server. */
  readonly url: string;
  readonly authorizationServer: string;
  readonly companyLogin: string;
  close(): Promise<void>;
}

/** Starts the company's login, the authorization server and the protected server, all on this machine. */
export async function startExample(ports: ExamplePorts): Promise<Example> {
  // Each of them knows the address of another before that one runs.
  const resource = `http://127.0.0.1:${ports.mcp}/mcp`;
  const redirectUri = `http://127.0.0.1:${ports.authorization}${CALLBACK_PATH}`;
  const company = await startCompanyLogin(ports.company, redirectUri);
  const authorization = await startAuthorizationServer({
    port: ports.authorization,
    resource: { url: resource, scopes: SCOPES, lifetime: 300 },
    company: { issuer: company.url, client: COMPANY_CLIENT },
  });
  const mcp = await serveHttp(createNotesServer(), {
    port: ports.mcp,
    auth: protect({
      resource,
      verify: jwt({ issuer: authorization.url, algorithms: ["ES256"] }),
      scopes: ["notes:read"],
    }),
  });
  return {
    url: mcp.url,
    authorizationServer: authorization.url,
    companyLogin: company.url,
    async close() {
      await Promise.all([mcp.close(), authorization.close(), company.close()]);
    },
  };
}
