import { genericTokenEndpointRequest, None } from "oauth4webapi";
import { describe, expect, test } from "vitest";
import { TokenRefused } from "../../src/auth/grants/token-refusal.ts";
import { requestTokens } from "../../src/auth/grants/token-request.ts";

const ISSUER = { issuer: "https://as.example/tenant?x=1", token_endpoint: "https://as.example/token" };

/** The failure of a request for tokens that gets this response. */
async function failureOf(status: number, body: unknown, headers: Record<string, string> = {}): Promise<Error> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = { "content-type": typeof body === "string" ? "text/html" : "application/json" };
  const fetch = async (): Promise<Response> => new Response(text, { status, headers: { ...type, ...headers } });
  const client = { id: "app", origin: "configured" as const };
  const request = { issuer: ISSUER, client, fetch, resource: undefined, dpop: undefined, signal: undefined };
  const outcome: unknown = await requestTokens(request, (asked, options) =>
    genericTokenEndpointRequest(
      ISSUER,
      asked,
      None(),
      "refresh_token",
      { refresh_token: "canary-token" },
      options as never,
    ),
  ).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  return outcome as Error;
}

describe("an authorization server that cannot answer now is asked again later, and the grant is kept", () => {
  test.each([
    [429, "invalid_grant"],
    [408, "invalid_client"],
    [400, "temporarily_unavailable"],
    [400, "server_error"],
    [400, "slow_down"],
    [200, "server_error"],
  ])("status %i with the error %s", async (status, error) => {
    const failure = await failureOf(status, { error, error_description: "in a while" });
    expect(failure).toMatchObject({
      name: "AuthError",
      code: "TEMPORARY",
      message: `The authorization server https://as.example/tenant is not available ("${error}": "in a while"). Try again later.`,
    });
    expect(failure).not.toBeInstanceOf(TokenRefused);
  });

  test.each([
    [200, "<h1>Maintenance</h1>"],
    [400, "<h1>Bad request</h1>"],
    [400, { message: "no error of OAuth" }],
    [403, ""],
    [500, { error: "invalid_grant" }],
    [503, { error: "invalid_client" }],
    [200, { token_type: "Bearer" }],
  ])("status %i with what is no response of a token endpoint: %j", async (status, body) => {
    const failure = await failureOf(status, body);
    expect(failure).toMatchObject({ code: "TEMPORARY", message: expect.stringContaining("cannot be read") as string });
    expect(failure).not.toBeInstanceOf(TokenRefused);
    expect(failure.cause).toBeUndefined();
  });
});

describe("an authorization server that refuses says why", () => {
  test.each([
    [400, "invalid_grant", false],
    [400, "invalid_scope", false],
    [401, "invalid_client", true],
    [400, "unauthorized_client", true],
    [407, "invalid_request", false],
    [499, "invalid_grant", false],
    [200, "invalid_grant", false],
  ])("status %i with the error %s", async (status, error, isAboutClient) => {
    const failure = await failureOf(status, { error });
    expect(failure).toMatchObject({
      name: "AuthError",
      code: "LOGIN_FAILED",
      reason: error,
      isAboutClient,
      message: `The authorization server https://as.example/tenant refuses to issue a token: "${error}".`,
    });
    expect(failure).toBeInstanceOf(TokenRefused);
  });

  test("also by a challenge, which is about the client", async () => {
    const challenge = { "www-authenticate": 'Basic realm="as"' };
    const failure = await failureOf(401, "", challenge);
    expect(failure).toMatchObject({ code: "LOGIN_FAILED", reason: "invalid_client", isAboutClient: true });
    expect(failure.message).toContain("how this client authenticates (HTTP status 401)");
    expect(await failureOf(403, "", challenge)).toMatchObject({ code: "TEMPORARY" });
  });

  test("without the secrets of the request, in whatever it repeats", async () => {
    const failure = await failureOf(400, { error: "canary-token", error_description: `bad ${btoa("canary-token")}` });
    expect(failure).toMatchObject({
      reason: "[secret]",
      message: expect.stringContaining('"[secret]": "bad [secret]"') as string,
    });
  });
});
