import { connect, type ConnectOptions } from "@toolwire/client";
import { bearer, clientCredentials, enterprise, oauth, workload } from "@toolwire/client/auth";
import { exportPKCS8, generateKeyPair } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import { instantLogin, issuerMetadata, type Site, startSite, openSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function failureOf(url: string, auth: ConnectOptions["auth"]): Promise<unknown> {
  return connect(url, { auth, revision: "2026-07-28" }).then(
    (client) => client.close(),
    (error: unknown) => error,
  );
}

const everything = ({ requests }: Site): string =>
  JSON.stringify(requests.map(({ path, query, headers, text }) => [path, query.toString(), headers, text]));

describe("credentials: nothing is sent to another issuer", () => {
  /** A server that names an authorization server of its own choice. */
  async function thief() {
    const stolen = await openSite();
    const server = await openSite({ resource: () => ({ authorization_servers: [stolen.origin] }) });
    return { stolen, server };
  }

  const honest = "https://as.example";
  const providers: readonly (readonly [name: string, make: () => Promise<ConnectOptions["auth"]>])[] = [
    [
      "oauth with a secret",
      async () =>
        oauth({ client: { id: "canary-id", secret: "canary-secret", issuer: honest }, login: instantLogin() }),
    ],
    [
      "oauth with a public id",
      async () => oauth({ client: { id: "canary-id", issuer: honest }, login: instantLogin() }),
    ],
    [
      "oauth with a key and a document",
      async () =>
        oauth({
          client: { metadataUrl: "https://app.example/canary.json", key: await pem(), issuer: honest },
          login: instantLogin(),
        }),
    ],
    [
      "clientCredentials with a secret",
      async () => clientCredentials({ id: "canary-id", secret: "canary-secret", issuer: honest }),
    ],
    [
      "clientCredentials with a key",
      async () => clientCredentials({ id: "canary-id", key: await pem(), issuer: honest }),
    ],
    ["workload", async () => workload({ issuer: honest, assertion: () => "canary-jwt" })],
    [
      "enterprise",
      async () =>
        enterprise({
          idp: { id: "canary-id", secret: "canary-secret", issuer: "https://idp.example" },
          idToken: "canary-id-token",
          client: { id: "canary-id", secret: "canary-secret", issuer: honest },
        }),
    ],
  ];

  test.each(providers)("threat 7: %s sends nothing to another issuer", async (_, make) => {
    const { stolen, server } = await thief();
    expect(await failureOf(`${server.origin}/mcp`, await make())).toMatchObject({ code: "ISSUER_CHANGED" });
    expect(everything(stolen)).not.toContain("canary");
    expect(everything(server)).not.toContain("canary");
    expect(stolen.at("/token")).toHaveLength(0);
  });

  test("threat 7: bearer sends its token to the server that it is for, and nowhere else", async () => {
    const { stolen, server } = await thief();
    await failureOf(`${server.origin}/mcp`, bearer("canary-token"));
    expect(stolen.requests).toHaveLength(0);
  });

  test("threat 7: without an issuer, no provider with credentials can be made", () => {
    const made: readonly (() => unknown)[] = [
      () => oauth({ client: { id: "a", secret: "b" } as never }),
      () => oauth({ client: { id: "a" } as never }),
      () => oauth({ client: { metadataUrl: "https://a.example/b", key: "k" } as never }),
      () => clientCredentials({ id: "a", secret: "b" } as never),
      () => clientCredentials({ id: "a", key: "b" } as never),
      () => workload({ assertion: () => "x" } as never),
      () =>
        enterprise({
          idp: { id: "a", secret: "b" },
          idToken: "c",
          client: { id: "a", issuer: "https://as.example" },
        } as never),
      () =>
        enterprise({
          idp: { id: "a", issuer: "https://idp.example" },
          idToken: "c",
          client: { id: "a", secret: "b" },
        } as never),
    ];
    for (const make of made) expect(make).toThrow(/issuer/);
  });
});

async function pem(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return exportPKCS8(privateKey);
}

describe("workload", () => {
  test("threat 37: a workload token that is refused once is asked for once", async () => {
    let asked = 0;
    const server = await openSite({
      token: () => ({ status: 400, json: { error: "invalid_grant", error_description: "expired" } }),
    });
    const auth = workload({
      issuer: server.origin,
      assertion: ({ tokenEndpoint, resource, issuer }) => {
        asked += 1;
        expect({ tokenEndpoint, resource, issuer }).toEqual({
          tokenEndpoint: `${server.origin}/token`,
          resource: `${server.origin}/mcp`,
          issuer: server.origin,
        });
        return "canary-jwt";
      },
    });
    expect(await failureOf(`${server.origin}/mcp`, auth)).toMatchObject({ code: "LOGIN_FAILED" });
    expect([asked, server.at("/token").length, server.at("/register").length]).toEqual([1, 1, 0]);
    expect(await failureOf(`${server.origin}/mcp`, auth)).toMatchObject({ code: "TEMPORARY" });
    expect([asked, server.at("/token").length]).toEqual([1, 1]);
    const { form } = server.at("/token")[0]!;
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    expect(form.has("client_id")).toBe(false);
  });

  test("threat 37: the token of the platform is asked for anew each time, and kept nowhere", async () => {
    let asked = 0;
    const server = await openSite({
      token: ({ form }) => ({
        json: { access_token: `for-${form.get("assertion")}`, token_type: "Bearer", expires_in: 1 },
      }),
    });
    const auth = workload({ issuer: server.origin, assertion: () => `jwt-${++asked}` });
    const client = await connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" });
    await expect.poll(() => client.listTools().then(() => asked)).toBeGreaterThan(1);
    await client.close();
    expect(new Set(server.at("/token").map(({ form }) => form.get("assertion"))).size).toBe(server.at("/token").length);
  });
});

test("enterprise: the user's login is exchanged at the identity provider, and the assertion at the authorization server", async () => {
  const idp = await startSite(({ path, form }, { origin }) => {
    if (path === "/.well-known/openid-configuration") {
      return { json: { ...issuerMetadata(origin), token_endpoint_auth_methods_supported: ["client_secret_post"] } };
    }
    if (path !== "/token") return undefined;
    const issued = {
      access_token: "the-id-jag",
      token_type: "N_A",
      issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    };
    return form.get("subject_token") === "id-token"
      ? { json: issued }
      : { status: 400, json: { error: "invalid_grant" } };
  });
  cleanups.push(() => idp.close());
  const server = await openSite({ issuer: () => ({ token_endpoint_auth_methods_supported: ["client_secret_basic"] }) });
  const auth = enterprise({
    idp: { id: "app-at-idp", secret: "idp-secret", issuer: idp.origin },
    idToken: () => "id-token",
    client: { id: "app", secret: "as-secret", issuer: server.origin },
  });
  expect(await failureOf(`${server.origin}/mcp`, auth)).toBeUndefined();
  expect(Object.fromEntries(idp.at("/token")[0]!.form)).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    subject_token: "id-token",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    audience: server.origin,
    resource: `${server.origin}/mcp`,
    client_id: "app-at-idp",
    client_secret: "idp-secret",
  });
  const [exchange] = server.at("/token");
  expect(exchange?.form.get("assertion")).toBe("the-id-jag");
  expect(exchange?.headers.authorization).toBe(`Basic ${btoa("app:as-secret")}`);
  expect(everything(server)).not.toContain("idp-secret");
  expect(everything(idp)).not.toContain("as-secret");
  expect(auth.extensions).toEqual({ "io.modelcontextprotocol/enterprise-managed-authorization": {} });
});

describe("bearer", () => {
  test("a function is asked again when its token is refused, and the request is sent once more", async () => {
    const server = await openSite({ accepts: (token) => token === "new" });
    const asked: (string | undefined)[] = [];
    let token = "old";
    const auth = bearer(({ rejected }) => {
      asked.push(rejected);
      if (rejected !== undefined) token = "new";
      return token;
    });
    expect(await failureOf(`${server.origin}/mcp`, auth)).toBeUndefined();
    expect(asked).toEqual([undefined, "old", undefined]);
  });

  test("a token that stays refused is UNAUTHORIZED after one more try", async () => {
    const server = await openSite({ accepts: () => false });
    let count = 0;
    expect(
      await failureOf(
        `${server.origin}/mcp`,
        bearer(async () => `token-${++count}`),
      ),
    ).toMatchObject({ code: "UNAUTHORIZED" });
    expect(server.at("/mcp")).toHaveLength(2);
    expect(await failureOf(`${server.origin}/mcp`, bearer("fixed"))).toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("a token that a header cannot carry is refused, and not shown", async () => {
    expect(() => bearer("canary\r\nx: y")).toThrow(/visible ASCII/);
    const server = await openSite();
    const error = await failureOf(
      `${server.origin}/mcp`,
      bearer(() => "canary token"),
    );
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(String(error)).not.toContain("canary");
    expect(server.requests).toHaveLength(0);
  });

  test("a function without a token sends none", async () => {
    const server = await openSite();
    expect(
      await failureOf(
        `${server.origin}/mcp`,
        bearer(() => undefined),
      ),
    ).toMatchObject({ code: "UNAUTHORIZED", message: expect.stringContaining("had none") as string });
    expect(server.at("/mcp").every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });
});
