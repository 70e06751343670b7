import { describe, expect, onTestFinished, test } from "vitest";
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startProvider,
} from "../../../client/test/auth/lab/identity-provider.ts";
import type { AdminLoginConfig, GatewayConfig } from "../../src/config/config.ts";
import { readConfig } from "../../src/config/load-config.ts";
import { findPort } from "../logins/find-port.ts";
import { type LocalGateway, startLocal } from "../local-gateway.ts";
import { Browser } from "../logins/lab.ts";

const SECRET = "secret-of-the-page-client-0123456789";

interface Lab {
  readonly local: LocalGateway;
  readonly provider: IdentityProvider;
  readonly url: string;
}

/** A gateway whose page people log in to at a real identity provider. */
async function start(allow: AdminLoginConfig["allow"], provider: IdentityProviderOptions = {}): Promise<Lab> {
  const adminPort = await findPort();
  const idp = await startProvider({
    clients: [
      {
        client_id: "gateway-page",
        client_secret: SECRET,
        redirect_uris: [`http://127.0.0.1:${adminPort}/login/callback`],
        grant_types: ["authorization_code"],
      },
    ],
    more: {
      conformIdTokenClaims: false,
      claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
      scopes: ["openid", "email"],
      findAccount: (_, id) => ({
        accountId: id,
        claims: async () => ({
          sub: id,
          email: `${id}@example.com`,
          email_verified: id !== "impostor",
          groups: id === "carol" ? ["staff", "gateway-admins"] : ["staff"],
        }),
      }),
    },
    ...provider,
  });
  onTestFinished(() => idp.close());
  const login = { name: "Example", issuer: idp.issuer, client: { id: "gateway-page", secret: "${env:SECRET}" }, allow };
  const local = await startLocal({}, { config: { admin: { login } }, options: { adminPort, env: { SECRET } } });
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { local, provider: idp, url: local.gateway.adminUrl ?? "" };
}

/** Begins a login, and returns the page of the identity provider. */
async function begin(browser: Browser, url: string, next = ""): Promise<string> {
  const response = await browser.get(`${url}/login/start${next}`, NAVIGATION);
  expect(response.status).toBe(303);
  return response.headers.get("location") ?? "";
}

/** The headers of a click on a link, and of a browser that another site sends back. */
const NAVIGATION = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };
const RETURN = { "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" };

async function logIn(browser: Browser, { provider, url }: Lab, user: string, next = ""): Promise<string> {
  const back = await provider.logIn(await begin(browser, url, next), user);
  const response = await browser.get(back, RETURN);
  return response.headers.get("location") ?? "";
}

async function isLoggedIn(browser: Browser, url: string): Promise<boolean> {
  const response = await browser.get(`${url}/api/v1/session`);
  return ((await response.json()) as { readonly isLoggedIn: boolean }).isLoggedIn;
}

describe("People who log in to the page at an identity provider", () => {
  test("get a session if they are named, and their changes are noted under their name", async () => {
    const lab = await start({ emails: ["Ada@example.com"] });
    const browser = new Browser();
    expect(await (await browser.get(`${lab.url}/api/v1/session`)).json()).toEqual({
      isLoggedIn: false,
      login: { name: "Example" },
    });
    expect(await logIn(browser, lab, "ada", "?next=/calls%3Ftool%3Dx")).toBe("/calls?tool=x");
    expect(await isLoggedIn(browser, lab.url)).toBe(true);
    const response = await fetch(`${lab.url}/api/v1/keys`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: lab.url,
        cookie: [...(browser.cookies.get(lab.url) ?? [])].map((pair) => pair.join("=")).join("; "),
      },
      body: JSON.stringify({ name: "made by ada" }),
    });
    expect(response.status).toBe(201);
    expect((await lab.local.gateway.storage.audit.list())[0]).toMatchObject({ actor: "ada@example.com" });
    expect(lab.provider.tokenRequests()[0]?.body.get("code_verifier")).toHaveLength(43);
  });

  test.each([
    ["by subject", { subjects: ["ada"] }, "ada", "bob"],
    ["by a verified address", { emails: ["ada@example.com", "impostor@example.com"] }, "ada", "impostor"],
    ["by a claim", { claims: { groups: ["gateway-admins"] } }, "carol", "ada"],
  ] as const)("get in %s, and others do not", async (_, allow, allowed, other) => {
    const lab = await start(allow);
    const browser = new Browser();
    expect(await logIn(browser, lab, other)).toBe("/?login=not_allowed");
    expect(await isLoggedIn(browser, lab.url)).toBe(false);
    expect(await logIn(new Browser(), lab, allowed)).toBe("/");
    expect(lab.local.events.some(({ message }) => message.includes("is not in admin.login.allow"))).toBe(true);
  });

  test("can still use the admin token, and a gateway without a login shows none", async () => {
    const lab = await start({ subjects: ["ada"] });
    const token = lab.local.events.find(({ adminToken }) => adminToken !== undefined)?.adminToken ?? "";
    const response = await fetch(`${lab.url}/api/v1/health`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    await using plain = await startLocal({}, { config: { admin: {} } });
    const session = await fetch(`${plain.gateway.adminUrl}/api/v1/session`);
    expect(await session.json()).toEqual({ isLoggedIn: false });
  });

  test("cannot be made to end a login that somebody else has begun, nor with a response that belongs to another one", async () => {
    const lab = await start({ subjects: ["ada", "mallory"] });
    const attacker = new Browser();
    const back = await lab.provider.logIn(await begin(attacker, lab.url), "mallory");
    const victim = new Browser();
    expect((await victim.get(back, RETURN)).headers.get("location")).toBe("/?login=expired");
    await begin(victim, lab.url);
    expect((await victim.get(back, RETURN)).headers.get("location")).toBe("/?login=failed");
    expect(await isLoggedIn(victim, lab.url)).toBe(false);
    expect(lab.provider.tokenRequests()).toEqual([]);
  });

  test("end a login once: a response that comes again, with the cookie of before, is refused", async () => {
    const lab = await start({ subjects: ["ada"] });
    const browser = new Browser();
    const back = await lab.provider.logIn(await begin(browser, lab.url), "ada");
    const before = new Map(browser.cookies.get(lab.url));
    expect((await browser.get(back, RETURN)).headers.get("location")).toBe("/");
    const thief = new Browser();
    thief.cookies.set(lab.url, before);
    expect((await thief.get(back, RETURN)).headers.get("location")).toBe("/?login=expired");
    expect(await isLoggedIn(thief, lab.url)).toBe(false);
    expect(lab.provider.tokenRequests()).toHaveLength(1);
  });

  test("get a new session id, whatever cookie they came with", async () => {
    const lab = await start({ subjects: ["ada"] });
    const browser = new Browser();
    const name = `toolwire_admin_${new URL(lab.url).port}`;
    browser.cookies.set(lab.url, new Map([[name, "fixed-by-an-attacker"]]));
    await logIn(browser, lab, "ada");
    expect(browser.cookies.get(lab.url)?.get(name)).toMatch(/^[\w-]{43}$/);
    const attacker = new Browser();
    attacker.cookies.set(lab.url, new Map([[name, "fixed-by-an-attacker"]]));
    expect(await isLoggedIn(attacker, lab.url)).toBe(false);
  });

  test.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "/%09/evil.example",
    "javascript:alert(1)",
    "/..//evil.example",
    " https://evil.example",
  ])("are never sent on to %s", async (next) => {
    const lab = await start({ subjects: ["ada"] });
    const location = await logIn(new Browser(), lab, "ada", `?next=${encodeURIComponent(next)}`);
    expect(new URL(location, lab.url).origin).toBe(lab.url);
  });

  test.each([
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
    ["no issuer", (url: URL) => url.searchParams.delete("iss")],
    ["another code", (url: URL) => url.searchParams.set("code", "stolen")],
    ["two codes", (url: URL) => url.searchParams.append("code", "stolen")],
    ["an error with markup", (url: URL) => url.searchParams.set("error", "<script>alert(1)</script>")],
  ] as const)("do not get in with a response with %s, and nothing of it is shown", async (_, change) => {
    const lab = await start({ subjects: ["ada"] });
    const browser = new Browser();
    const back = new URL(await lab.provider.logIn(await begin(browser, lab.url), "ada"));
    change(back);
    const response = await browser.get(back.href, RETURN);
    expect(response.headers.get("location")).toBe("/?login=failed");
    expect(await response.text()).toBe("");
    expect(await isLoggedIn(browser, lab.url)).toBe(false);
  });

  test("do not get in by an ID token of another login, or with a wrong signature", async () => {
    const lab = await start({ subjects: ["ada"] });
    const browser = new Browser();
    // The nonce is in the cookie and in the request to the provider: a request with another one gets another ID token.
    const page = new URL(await begin(browser, lab.url));
    page.searchParams.set("nonce", "of-another-login");
    const back = await lab.provider.logIn(page, "ada");
    expect((await browser.get(back, RETURN)).headers.get("location")).toBe("/?login=failed");
    expect(await isLoggedIn(browser, lab.url)).toBe(false);

    const second = new Browser();
    const good = await lab.provider.logIn(await begin(second, lab.url), "ada");
    lab.provider.outage = ({ path }) => (path === "/jwks" ? 404 : undefined);
    expect((await second.get(good, RETURN)).headers.get("location")).toBe("/?login=failed");
  });

  test("are told if the identity provider is away, and secrets are in no event", async () => {
    const lab = await start({ subjects: ["ada"] });
    lab.provider.outage = () => 503;
    const response = await new Browser().get(`${lab.url}/login/start`, NAVIGATION);
    expect(response.headers.get("location")).toBe("/?login=unavailable");
    lab.provider.outage = undefined;
    expect(await logIn(new Browser(), lab, "ada")).toBe("/");
    const code = lab.provider.tokenRequests()[0]?.body.get("code") ?? "";
    const seen = JSON.stringify(lab.local.events);
    for (const secret of [SECRET, code]) expect(seen).not.toContain(secret);
  });
});

describe("The configuration of logins to the page", () => {
  const problemsOf = (admin: string): readonly string[] =>
    readConfig(`version: 1\nadmin: ${admin}\n`, { env: { S: "s" }, folder: "." }).problems.map(
      ({ line, message }) => `${line}: ${message}`,
    );
  const client = 'client: { id: c, secret: "${env:S}" }';

  test("names who gets in: an empty list is an error", () => {
    expect(problemsOf(`{ login: { issuer: https://i.example, ${client}, allow: { subjects: [a] } } }`)).toEqual([]);
    for (const allow of ["{}", "{ subjects: [] }", "{ emails: [] }", "{ claims: {} }", "{ claims: { groups: [] } }"]) {
      expect(problemsOf(`{ login: { issuer: https://i.example, ${client}, allow: ${allow} } }`), allow).not.toEqual([]);
    }
    expect(problemsOf(`{ login: { issuer: https://i.example, ${client} } }`)).not.toEqual([]);
  });

  test("needs an issuer with TLS, and a public URL if other machines reach the page", () => {
    const allow = "allow: { subjects: [a] }";
    expect(problemsOf(`{ login: { issuer: http://i.example, ${client}, ${allow} } }`)).toEqual([
      expect.stringMatching(/^2: .*https/) as string,
    ]);
    const open = `{ host: 0.0.0.0, login: { issuer: https://i.example, ${client}, ${allow} } }`;
    expect(problemsOf(open).join()).toContain("admin.publicUrl");
  });

  test("has types that the schema accepts", () => {
    const config: GatewayConfig = {
      version: 1,
      admin: { login: { issuer: "https://i.example", client: { id: "c" }, allow: { subjects: ["a"] } } },
    };
    expect(readConfig(JSON.stringify(config), { env: {}, folder: "." }).problems).toEqual([]);
  });
});
