import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { KeySet } from "@toolwire/server/auth";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** An authorization server on this machine, which signs whatever it is asked to. */
export interface Issuer {
  readonly url: string;
  readonly keys: KeySet;
  /** Makes a token of a user for a resource. */
  sign(subject: string, resource: string): Promise<string>;
  /** Waits until somebody asks for the keys. */
  keysRequested(): Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The machine that gets tokens by its secret. */
export const MACHINE = { id: "machine", secret: "a secret of tests" } as const;

/** The keys take a moment: requests that need them meet, and a runtime notices meanwhile that a caller has left. */
const KEYS_MS = 400;
const LIFETIME = "1h";
/** Pages ask for tokens as well. */
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization" };

/** Starts one with a new key. */
export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "key-1", alg: "ES256", use: "sig" }] };
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sign = (claims: { readonly [name: string]: string }, resource: string): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "key-1" })
      .setIssuer(url)
      .setAudience(resource)
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .setExpirationTime(LIFETIME)
      .sign(privateKey);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    if (request.method === "OPTIONS") response.writeHead(204, CORS).end();
    else if (request.url === "/.well-known/oauth-authorization-server") send(response, 200, describeIssuer(url));
    else if (request.url === "/keys") {
      for (const resolve of waiting.splice(0)) resolve();
      setTimeout(send, KEYS_MS, response, 200, keys);
    } else if (request.url === "/token" && mayHaveToken(request, form)) {
      const access_token = await sign({ client_id: MACHINE.id }, form.get("resource") ?? "");
      send(response, 200, { access_token, token_type: "Bearer", expires_in: 3600 });
    } else send(response, 404, { error: "invalid_request" });
  };

  return {
    url,
    keys,
    sign: (subject, resource) => sign({ sub: subject }, resource),
    keysRequested: () => new Promise((resolve) => waiting.push(resolve)),
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function describeIssuer(url: string): object {
  return {
    issuer: url,
    jwks_uri: `${url}/keys`,
    token_endpoint: `${url}/token`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
  };
}

function mayHaveToken({ method, headers }: IncomingMessage, form: URLSearchParams): boolean {
  const [id, secret] = [MACHINE.id, MACHINE.secret].map((part) =>
    new URLSearchParams([["", part]]).toString().slice(1),
  );
  const expected = `Basic ${btoa(`${id}:${secret}`)}`;
  return method === "POST" && headers.authorization === expected && form.get("grant_type") === "client_credentials";
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...CORS, "content-type": "application/json" }).end(JSON.stringify(body));
}
