import { describe, expect, test } from "vitest";
import { authenticationOf, type KnownClient } from "../../src/auth/grants/client-authentication.ts";

/** The parts of a token request that say who the client is. */
async function sent(client: Partial<KnownClient>, listed: unknown): Promise<Record<string, string>> {
  const server = { issuer: "https://as.example", token_endpoint_auth_methods_supported: listed } as never;
  const known: KnownClient = { id: "a.b", origin: "configured", ...client };
  const [body, headers] = [new URLSearchParams(), new Headers()];
  await authenticationOf(server, known)(server, { client_id: known.id }, body, headers);
  return { ...Object.fromEntries(body), ...Object.fromEntries(headers) };
}

/** Encoded as in a form, and no more than that. */
const basic = { authorization: `Basic ${btoa("a.b:s-e_c%3Ar")}` };
const secret = "s-e_c:r";

async function privateKey(): Promise<CryptoKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  return (pair as CryptoKeyPair).privateKey;
}

const assertionOf = ({
  client_assertion: assertion = "",
}: Record<string, string>): readonly Record<string, unknown>[] =>
  assertion
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);

describe("a client authenticates", () => {
  test("as its registration says, whatever the server prefers", async () => {
    const post = { client_id: "a.b", client_secret: secret };
    const listed = ["client_secret_basic", "client_secret_post", "none"];
    expect(await sent({ secret, method: "client_secret_post" }, listed)).toEqual(post);
    expect(await sent({ secret, method: "none" }, listed)).toEqual({ client_id: "a.b" });
    expect(await sent({ secret, method: "client_secret_post" }, ["client_secret_basic"])).toEqual(post);
    expect(await sent({ secret, method: "client_secret_post" }, undefined)).toEqual(post);
  });

  test("in another way, if it cannot do what its registration says", async () => {
    expect(await sent({ secret, method: "private_key_jwt" }, ["client_secret_post"])).toHaveProperty("client_secret");
    expect(await sent({ method: "client_secret_basic" }, ["client_secret_basic", "none"])).toEqual({
      client_id: "a.b",
    });
    expect(await sent({ secret, method: "unheard of" }, undefined)).toMatchObject({
      authorization: expect.stringMatching(/^Basic /) as string,
    });
  });

  test("in the best way that both sides can do", async () => {
    expect(await sent({ secret }, ["none", "client_secret_post", "client_secret_basic"])).toHaveProperty(
      "authorization",
    );
    expect(await sent({ secret }, ["none", "client_secret_post"])).toHaveProperty("client_secret", secret);
    expect(await sent({ secret }, ["none"])).toEqual({ client_id: "a.b" });
    expect(await sent({}, ["client_secret_basic"])).toEqual({ client_id: "a.b" });
  });

  test("by Basic, if the server lists nothing and there is a secret", async () => {
    for (const listed of [undefined, "client_secret_post", null]) {
      expect(await sent({ secret }, listed)).toEqual(basic);
      expect(await sent({}, listed)).toEqual({ client_id: "a.b" });
    }
  });

  test("by its key, which is better than any secret", async () => {
    const key = { key: await privateKey() };
    for (const listed of [undefined, ["client_secret_post", "private_key_jwt"]]) {
      const [header, payload] = assertionOf(await sent({ secret, key }, listed));
      expect(header).not.toHaveProperty("kid");
      expect(payload).toMatchObject({ iss: "a.b", sub: "a.b", aud: "https://as.example" });
    }
    const named = await sent(
      { key: { ...key, id: "key-7" }, assertionAudience: "https://as.example/token" },
      undefined,
    );
    const [header, payload] = assertionOf(named);
    expect(header).toMatchObject({ kid: "key-7", alg: "ES256" });
    expect(payload).toMatchObject({ aud: "https://as.example/token" });
  });

  test("not at all, if the server takes none of its ways: the error names them", async () => {
    const failure: unknown = await sent({ key: { key: await privateKey() } }, ["tls_client_auth"]).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: "UNSUPPORTED_SERVER",
      message: expect.stringMatching(/https:\/\/as\.example\/? takes none .*\(private_key_jwt\)/) as string,
    });
  });
});
