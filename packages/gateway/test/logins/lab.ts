import { request } from "node:http";
import { onTestFinished } from "vitest";
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startProvider,
} from "../../../client/test/auth/lab/identity-provider.ts";
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from "../../../client/test/auth/lab/protected-server.ts";
import type { GatewayConfig, ServerConfig, UpstreamConfig } from "../../src/config/config.ts";
import type { GatewayOptions } from "../../src/gateway.ts";
import { type LocalGateway, startLocal } from "../local-gateway.ts";
import { findPort } from "./find-port.ts";

/** A gateway in front of a server that wants tokens of a real authorization server. */
export interface LoginLab {
  readonly provider: IdentityProvider;
  readonly upstream: ProtectedServer;
  readonly local: LocalGateway;
}

/** Starts everything until the end of the test. */
export async function startLab(
  options: {
    readonly provider?: IdentityProviderOptions;
    readonly server?: Partial<ProtectedServerOptions>;
    readonly upstream?: (lab: Pick<LoginLab, "provider" | "upstream">) => UpstreamConfig;
    readonly config?: Partial<GatewayConfig>;
    readonly gateway?: GatewayOptions;
    readonly more?: Partial<ServerConfig>;
  } = {},
): Promise<LoginLab> {
  const provider = await startProvider(options.provider);
  onTestFinished(() => provider.close());
  const upstream = await startProtectedServer({ providers: [provider], ...options.server });
  onTestFinished(() => upstream.close());
  const config = options.upstream?.({ provider, upstream }) ?? { url: upstream.url, auth: { oauth: {} } };
  const port = await findPort();
  const local = await startLocal(
    { work: { auth: { apiKeys: true }, upstreams: { notes: config }, ...options.more } },
    {
      config: { listen: { publicUrl: `http://127.0.0.1:${port}` }, ...options.config },
      options: { port, ...options.gateway },
    },
  );
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { provider, upstream, local };
}

/** The link in a text. */
export function linkIn(text: string | undefined): string {
  const link = /http:\/\/\S+\/connect\/\S+/.exec(text ?? "")?.[0];
  if (link === undefined) throw new Error(`There is no link in: ${text}`);
  return link;
}

/** A browser without scripts: it keeps cookies by origin, and shows what it gets. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>();

  /** Gets a page, without following redirects. */
  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#keep(url, await send(url, "GET", { ...this.#cookieOf(url), ...headers }));
  }

  /** Sends the form of a page as a browser does that is on this page. */
  async submit(url: string, page: string, headers: Record<string, string> = {}): Promise<Response> {
    const fields = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map((match): [string, string] => [
      match[1] ?? "",
      match[2] ?? "",
    ]);
    const { origin } = new URL(url);
    const all = { origin, "sec-fetch-site": "same-origin", ...this.#cookieOf(url), ...headers };
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return this.#keep(url, await send(url, "POST", { ...all, ...type }, String(new URLSearchParams(fields))));
  }

  /** Opens a link, agrees, and returns the page of the authorization server. */
  async agree(link: string): Promise<string> {
    const page = await (await this.get(link)).text();
    const response = await this.submit(link, page);
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    return location;
  }

  /** Does the whole login of a link, and returns the text of the page at its end. */
  async connect(link: string, provider: IdentityProvider, user?: string): Promise<string> {
    const back = await provider.logIn(await this.agree(link), user);
    const response = await this.get(back);
    const location = response.headers.get("location");
    return (location === null ? response : await this.get(location)).text();
  }

  #cookieOf(url: string): Record<string, string> {
    const cookies = this.cookies.get(new URL(url).origin) ?? new Map<string, string>();
    return cookies.size === 0 ? {} : { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
  }

  #keep(url: string, response: Response): Response {
    const { origin } = new URL(url);
    const cookies = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, cookies);
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    return response;
  }
}

/** Sends a request as it is: `fetch` of Node writes headers of its own, such as `sec-fetch-mode`. */
async function send(url: string, method: string, headers: Record<string, string>, body = ""): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const fields = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
          (values ?? []).map((value): [string, string] => [name, value]),
        );
        const { statusCode: status = 0 } = response;
        resolve(
          new Response(status === 304 || status === 204 ? null : Buffer.concat(chunks), { status, headers: fields }),
        );
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
