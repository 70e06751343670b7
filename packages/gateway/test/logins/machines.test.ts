import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { startLab } from "./lab.ts";

const SECRET = "the-secret-of-the-gateway-client-0123456789";

test("The gateway logs in as a machine by a secret, and its token serves all callers", async () => {
  const { local, provider, upstream } = await startLab({
    provider: {
      clients: [
        {
          client_id: "gateway",
          client_secret: SECRET,
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
        },
      ],
    },
    upstream: ({ provider: { issuer }, upstream: { url } }) => ({
      url,
      auth: { clientCredentials: { id: "gateway", issuer, secret: "${env:CLIENT_SECRET}" } },
    }),
    gateway: { env: { CLIENT_SECRET: SECRET } },
  });
  const keys = [await local.key({ principal: "ada" }), await local.key({ principal: "bob" })];
  for (const key of keys) expect(await local.list("work", key)).toContain("whoami");
  const calls = await Promise.all(keys.map((key) => local.call("work", "write", {}, key)));
  expect(calls.map(({ text }) => text)).toEqual(["written", "written"]);
  expect(provider.tokenRequests("client_credentials")).toHaveLength(1);
  expect(upstream.seen.some(({ authorization }) => authorization?.includes("twk_"))).toBe(false);
});

test("The gateway logs in by a private key, over WebSocket too", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { local } = await startLab({
    provider: {
      clients: [
        {
          client_id: "gateway",
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), use: "sig", alg: "ES256" } as never] },
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
        },
      ],
    },
    upstream: ({ provider: { issuer }, upstream: { webSocketUrl } }) => ({
      url: webSocketUrl,
      auth: { clientCredentials: { id: "gateway", issuer, key: "${env:PEM}" } },
    }),
    server: { resource: (url) => url.replace("/mcp", "") },
    gateway: { env: { PEM: String(privateKey.export({ format: "pem", type: "pkcs8" })) } },
  });
  const key = await local.key();
  expect(await local.list("work", key)).toContain("write");
  expect(await local.call("work", "write", {}, key)).toMatchObject({ text: "written" });
});

test("A secret is not sent to an authorization server that the upstream names in place of the configured one", async () => {
  const { local, provider, upstream } = await startLab({
    upstream: ({ upstream: { url } }) => ({
      url,
      auth: {
        clientCredentials: { id: "gateway", issuer: "https://login.example.com", secret: "${env:CLIENT_SECRET}" },
      },
    }),
    gateway: { env: { CLIENT_SECRET: SECRET } },
  });
  expect(await local.list("work", await local.key())).toEqual([]);
  expect(provider.tokenRequests()).toEqual([]);
  expect(JSON.stringify(upstream.seen)).not.toContain(SECRET);
  expect(JSON.stringify(local.events)).not.toContain(SECRET);
});

test("A bearer token is that of the gateway, or with `perUser` that of each caller", async () => {
  const { local, upstream } = await startLab({
    upstream: ({ upstream: { url } }) => ({ url, perUser: true, auth: { bearer: "${secret:notes}" } }),
  });
  await local.gateway.storage.secrets.set("notes", "token-of-ada-0123456789", "ada");
  await local.list("work", await local.key({ principal: "ada" }));
  await local.list("work", await local.key({ principal: "bob" }));
  const sent = new Set(upstream.seen.map(({ authorization }) => authorization).filter((each) => each !== undefined));
  expect([...sent]).toEqual(["Bearer token-of-ada-0123456789"]);
});

test("A workload logs in by the token of its platform, which is read anew each time and sent to its issuer alone", async () => {
  const { local, provider } = await startLab({
    upstream: ({ provider: { issuer }, upstream: { url } }) => ({
      url,
      auth: { workload: { issuer, assertion: "${secret:platform}" } },
    }),
  });
  await local.gateway.storage.secrets.set("platform", "platform-token-0123456789");
  await local.list("work", await local.key());
  const [request] = provider.tokenRequests("urn:ietf:params:oauth:grant-type:jwt-bearer");
  expect(request?.body.get("assertion")).toBe("platform-token-0123456789");
});
