/** Authorization of 2025-11-25 and 2026-07-28, as a client meets it: over HTTP, with the real `protect`. */
import { beforeAll, describe, expect, test } from "vitest";
import { jwt, protect } from "../../src/auth/index.ts";
import { createServer, tool } from "../../src/index.ts";
import { BOTH, initialize, LegacyClient, modern, post } from "../bindings/http/client.ts";
import { PLATFORMS, type Target } from "../bindings/http/platforms.ts";
import { createKey, RESOURCE, seconds, sign, type TestKey } from "./lab/issuer.ts";

const ISSUER = "https://auth.example.com";
const METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";
const METADATA_URL = `https://api.example.com${METADATA_PATH}`;
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

let key: TestKey;
let stranger: TestKey;
beforeAll(async () => {
  [key, stranger] = await Promise.all([createKey("ES256", "key-1"), createKey("ES256", "key-1")]);
});

function tokenOf(more: object = {}, by: TestKey = key): Promise<string> {
  return sign(by, { iss: ISSUER, sub: "ada", aud: RESOURCE, exp: seconds(600), scope: "mcp:read", ...more });
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe.each(PLATFORMS)("protect on $name", ({ start }) => {
  const ran: string[] = [];

  async function serve(): Promise<Target> {
    ran.length = 0;
    const server = createServer({
      name: "protected",
      version: "1.0.0",
      onDiagnostic: () => {},
      tools: {
        read: tool({
          run(_, { principal, header }) {
            ran.push(principal?.id ?? "nobody");
            return `read without ${header("authorization") ?? "any token"}`;
          },
        }),
        write: tool({
          scopes: ["files:read", "files:write"],
          run() {
            ran.push("write");
            return "written";
          },
        }),
      },
    });
    const auth = protect({
      resource: RESOURCE,
      verify: jwt({ issuer: ISSUER, keys: { keys: [key.jwk] } }),
      scopes: ["mcp:read"],
      implies: { "files:admin": ["files:read", "files:write"] },
      onDiagnostic: () => {},
    });
    return start(server, { auth });
  }

  describe.each(REVISIONS)("in %s", (revision) => {
    /** Calls a tool. In the legacy era, the session is opened with a good token first. */
    async function call(
      target: Target,
      name: string,
      headers: Record<string, string>,
      path = "/mcp",
    ): Promise<Response> {
      if (revision === "2026-07-28") return target.send({ ...modern("tools/call", { name }, { headers }), path });
      const client = await LegacyClient.open(target, revision, bearer(await tokenOf()));
      const request = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name } };
      return target.send({ ...post(request, { ...client.headers, ...headers }), path });
    }

    test("a request without a token gets a 401 that names the metadata and the scopes to ask for", async () => {
      const response = await call(await serve(), "read", {});
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer scope="mcp:read", resource_metadata="${METADATA_URL}"`,
      );
      expect(ran).toEqual([]);
    });

    test.each<[string, () => Promise<string> | string]>([
      ["has expired", () => tokenOf({ exp: seconds(-60) })],
      ["is for another server", () => tokenOf({ aud: "https://other.example.com/mcp" })],
      ["is for no server at all", () => tokenOf({ aud: undefined })],
      ["is of another issuer", () => tokenOf({ iss: "https://other.example.com" })],
      ["was signed by somebody else", () => tokenOf({}, stranger)],
      ["is no token of the issuer", () => "something"],
    ])("a token that %s gets a 401, and no handler runs", async (_, make) => {
      const response = await call(await serve(), "read", bearer(await make()));
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(response.headers.get("www-authenticate")).toContain(`resource_metadata="${METADATA_URL}"`);
      expect(ran).toEqual([]);
    });

    test("a malformed header, and a token in the query, get a 400", async () => {
      const target = await serve();
      const token = await tokenOf();
      expect((await call(target, "read", { authorization: "Bearer a b" })).status).toBe(400);
      expect((await call(target, "read", bearer(token), `/mcp?access_token=${token}`)).status).toBe(400);
      expect(ran).toEqual([]);
    });

    test("a good token opens the request that it came with, and none that follows", async () => {
      const target = await serve();
      const good = await call(target, "read", bearer(await tokenOf()));
      expect(good.status).toBe(200);
      expect((await call(target, "read", {})).status).toBe(401);
      expect(ran).toEqual([JSON.stringify([ISSUER, "ada"])]);
    });

    test("handlers do not see the token, so that none is passed on by mistake", async () => {
      const response = await call(await serve(), "read", bearer(await tokenOf()));
      expect(await response.text()).toContain("read without any token");
    });

    test("a call that lacks scopes gets a 403 with all of them at once, and the metadata", async () => {
      const response = await call(await serve(), "write", bearer(await tokenOf()));
      expect(response.status).toBe(403);
      const challenge = response.headers.get("www-authenticate");
      expect(challenge).toContain('error="insufficient_scope"');
      expect(challenge).toContain('scope="mcp:read files:read files:write"');
      expect(challenge).toContain(`resource_metadata="${METADATA_URL}"`);
      expect(ran).toEqual([]);
    });

    test("a broader scope is enough for what it implies", async () => {
      const token = await tokenOf({ scope: "mcp:read files:admin" });
      expect((await call(await serve(), "write", bearer(token))).status).toBe(200);
      expect(ran).toEqual(["write"]);
    });
  });

  test("the metadata are public, and name the authorization servers", async () => {
    const target = await serve();
    const response = await target.send({ path: METADATA_PATH });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [ISSUER],
      scopes_supported: ["mcp:read"],
      bearer_methods_supported: ["header"],
    });
  });

  test("a session is no credential: its id opens nothing without a token, or with that of another caller", async () => {
    const target = await serve();
    const token = await tokenOf();
    const { headers } = await LegacyClient.open(target, "2025-11-25", bearer(token));
    const request = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "read" } };
    const other = bearer(await tokenOf({ sub: "eve" }));
    expect((await target.send(post(request, headers))).status).toBe(401);
    expect((await target.send(post(request, { ...headers, ...other }))).status).toBe(404);
    expect((await target.send({ method: "DELETE", headers })).status).toBe(401);
    expect((await target.send({ headers: { ...headers, accept: "text/event-stream" } })).status).toBe(401);
    expect(ran).toEqual([]);
    expect((await target.send(post(request, { ...headers, ...bearer(token) }))).status).toBe(200);
  });

  test("a handshake without a token opens no session", async () => {
    const response = await (await serve()).send(post(initialize(), { accept: BOTH }));
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([401, null]);
  });
});
