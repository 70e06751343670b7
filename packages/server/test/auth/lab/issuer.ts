import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { RequestHead } from "../../../src/bindings/admission/options.ts";

/** The resource of all tests that do not say otherwise. */
export const RESOURCE = "https://api.example.com/mcp";

/** A key pair of a test, with its public half as a JWK. */
export interface TestKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly alg: string;
}

/** Makes a key that is published under a name. */
export async function createKey(alg: string, kid?: string): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk: { ...jwk, ...(kid !== undefined && { kid, alg, use: "sig" }) }, alg };
}

/** Signs claims as they are: nothing is added, so that a test can leave out whatever it wants. */
export function sign(key: TestKey, claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const { kid } = key.jwk;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, typ: "at+jwt", ...(kid !== undefined && { kid }), ...header })
    .sign(key.privateKey);
}

/** A real HTTP server that answers as a test wants. */
export interface TestSite {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly headers: IncomingMessage["headers"];
  }[];
  /** The responses by path. A number is a status; a function answers itself. */
  readonly pages: Map<string, object | number | ((response: ServerResponse, body: string) => void)>;
  close(): Promise<void>;
}

export async function startSite(): Promise<TestSite> {
  const requests: TestSite["requests"] = [];
  const pages: TestSite["pages"] = new Map();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      requests.push({ method, path: url, body, headers });
      const page = pages.get(url) ?? 404;
      if (typeof page === "function") page(response, body);
      else if (typeof page === "number") response.writeHead(page).end("{}");
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    pages,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The head of a request, as bindings make it. */
export function headOf(headers: Readonly<Record<string, string>>, target = "/mcp", method = "POST"): RequestHead {
  return { method, target, raw: {}, header: (name) => headers[name.toLowerCase()] };
}

/** The head of a request with a token. */
export function withToken(token: string): RequestHead {
  return headOf({ authorization: `Bearer ${token}` });
}

/** Seconds since 1970, as in claims. */
export function seconds(fromNow = 0): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}
