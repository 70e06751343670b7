import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type * as Library from "oidc-provider";
import type { Configuration, Provider } from "oidc-provider";
import { allowPages } from "./cross-origin.ts";

/** The wishes of a test for an authorization server. */
export interface IdentityProviderOptions {
  /** The seconds for which access tokens are valid. */
  readonly lifetime?: number;
  /** Whether access tokens are JWTs, or texts that only the provider can read. */
  readonly format?: "jwt" | "opaque";
  readonly requiresDpopNonce?: boolean;
  /** Scopes that it grants. */
  readonly scopes?: readonly string[];
  readonly clients?: Configuration["clients"];
  /** How long a rotated refresh token still works, in milliseconds: many providers have such a time. */
  readonly leeway?: number;
  readonly more?: Partial<Configuration>;
  /** A fixed port, for a provider that is started again. */
  readonly port?: number;
  /** Whether pages of any origin may register and request tokens. */
  readonly allowsPages?: boolean;
  /** Header fields of all its pages. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to the provider. */
interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

/** A real authorization server on a loopback port. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly requests: ProviderRequest[];
  readonly keys: { readonly keys: JWK[] };
  /** The token requests, by grant type if one is given. */
  tokenRequests(grantType?: string): ProviderRequest[];
  /** Logs a user in as a browser does, and returns the URL that the browser ends at. */
  logIn(url: URL | string, user?: string): Promise<string>;
  /** Ends a code before its time. */
  expireCode(code: string): Promise<void>;
  /** Answers instead of the provider, if it returns a status. A promise holds the request until then. */
  outage: ((request: ProviderRequest) => Outage | Promise<Outage>) | undefined;
  close(): Promise<void>;
}

type Outage = number | "reset" | "html" | undefined;

/** The key that all providers of a test file sign with: making one takes long. */
let signingKey: Promise<JWK> | undefined;

async function createKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: "key-1", use: "sig", alg: "ES256" };
}

let library: Promise<typeof Library> | undefined;

/** Loads the provider without its remarks about tests: it is meant for production. */
async function loadQuietly(): Promise<typeof Library> {
  for (const method of ["info", "warn"] as const) {
    const write = console[method].bind(console);
    console[method] = (...things: unknown[]) => {
      if (!String(things[0]).includes("oidc-provider")) write(...things);
    };
  }
  return import("oidc-provider");
}

const DEFAULT_SCOPES = ["mcp:basic", "mcp:read", "mcp:write"];

export async function startProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const { lifetime = 300, format = "jwt", scopes = DEFAULT_SCOPES, clients = [] } = options;
  const requests: ProviderRequest[] = [];
  const running: { handle?: ReturnType<Provider["callback"]> } = {};
  const provider: { outage: IdentityProvider["outage"] } = { outage: undefined };
  const server = createServer((request, response) => {
    // The provider has rules of its own for the other endpoints.
    if (options.allowsPages === true && request.url === "/reg" && allowPages(request, response)) return;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { method = "", url = "", headers } = request;
      const { pathname, searchParams } = new URL(url, "http://localhost");
      const seen = {
        method,
        path: pathname,
        query: searchParams,
        body: new URLSearchParams(text),
        headers,
      };
      requests.push(seen);
      for (const [name, value] of Object.entries(options.headers ?? {})) response.setHeader(name, value);
      void Promise.resolve(provider.outage?.(seen)).then((outage) => {
        if (outage === "reset") request.socket.destroy();
        else if (outage === "html") {
          response.writeHead(200, { "content-type": "text/html" }).end("<h1>Maintenance</h1>");
        } else if (outage !== undefined) response.writeHead(outage, { "retry-after": "1" }).end("{}");
        else {
          // The body was read already: frameworks leave it on the request, and the provider takes it from there.
          Object.assign(request, { body: parseBody(text, headers["content-type"]) });
          void running.handle?.(request, response);
        }
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwk = await (signingKey ??= createKey());
  const { Provider: RealProvider } = await (library ??= loadQuietly());
  const oidc = new RealProvider(issuer, {
    clients,
    jwks: { keys: [jwk as never] },
    cookies: { keys: ["test-only"] },
    scopes: ["openid", "offline_access", ...scopes],
    pkce: { required: () => true },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    ttl: {
      AccessToken: lifetime,
      ClientCredentials: lifetime,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: () => true,
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.alloc(32, 7),
        requireNonce: () => options.requiresDpopNonce === true,
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        defaultResource: () => [],
        getResourceServerInfo: (_, resource) => ({
          scope: scopes.join(" "),
          audience: resource,
          accessTokenFormat: format,
          accessTokenTTL: lifetime,
          ...(format === "jwt" && { jwt: { sign: { alg: "ES256" as const } } }),
        }),
      },
    },
    ...(options.allowsPages === true && { clientBasedCORS: () => true }),
    ...options.more,
  });
  if (options.leeway !== undefined) tolerateReuse(oidc, options.leeway);
  running.handle = oidc.callback();
  const tokenRequests = (grantType?: string): ProviderRequest[] =>
    requests.filter(
      ({ path, body }) => path === "/token" && (grantType === undefined || body.get("grant_type") === grantType),
    );
  const { d: _secret, ...publicKey } = jwk;
  return Object.assign(provider, {
    issuer,
    requests,
    keys: { keys: [publicKey] },
    tokenRequests,
    logIn: (url: URL | string, user = "alice") => logIn(url, user),
    async expireCode(code: string) {
      await (await oidc.AuthorizationCode.find(code))?.destroy();
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function parseBody(text: string, type = ""): unknown {
  if (text === "") return undefined;
  return type.includes("json") ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

/** Accepts a rotated refresh token again for a while, as many providers do: a client may die before it has the new one. */
function tolerateReuse(oidc: Provider, leeway: number): void {
  const { prototype } = oidc.RefreshToken as unknown as {
    prototype: { consume(): Promise<void>; readonly jti: string };
  };
  const consume = prototype.consume;
  prototype.consume = async function delayed(this: { readonly jti: string }) {
    setTimeout(() => void consume.call(this as never), leeway).unref();
  };
}

/** Fills in the two forms of the provider, as a browser with cookies does. Returns where it ends. */
export async function logIn(url: URL | string, user: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = String(url);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(next, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const [name = "", value = ""] = pair.split("=");
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get("location");
    const text = await response.text();
    if (location !== null) {
      const target = new URL(location, next);
      if (target.searchParams.has("code") || target.searchParams.has("error")) return target.href;
      next = target.href;
    } else if (text.includes('name="login"')) {
      form = new URLSearchParams({ prompt: "login", login: user, password: "any" });
      next = new URL(/action="([^"]+)"/.exec(text)?.[1] ?? "", next).href;
    } else if (text.includes('value="consent"')) {
      form = new URLSearchParams({ prompt: "consent" });
      next = new URL(/action="([^"]+)"/.exec(text)?.[1] ?? "", next).href;
    } else throw new Error(`The provider shows another page, with status ${response.status}: ${text.slice(0, 500)}`);
  }
  throw new Error("The login did not end.");
}
