import { connect } from "@toolwire/client";
import { AuthError } from "@toolwire/protocol";
import { type Login, memoryStore, oauth } from "@toolwire/client/auth";
import { afterEach, expect, test } from "vitest";
import { startProvider } from "./lab/identity-provider.ts";
import { type ProtectedServerOptions, startProtectedServer } from "./lab/protected-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A server, and an application that logs users in apart from the connections that use the tokens. */
async function start(options: Partial<ProtectedServerOptions> = {}) {
  const provider = await startProvider();
  cleanups.push(() => provider.close());
  const server = await startProtectedServer({ providers: [provider], ...options });
  cleanups.push(() => server.close());
  const store = memoryStore();
  const redirectUri = "http://127.0.0.1/callback";
  /** Logs in as an application does whose processes share a store: one begins the login, another one ends it. */
  const logIn = async (scopes?: readonly string[]): Promise<void> => {
    const begun: { url?: URL; record?: string } = {};
    const first: Login = {
      leavesPage: true,
      start: () => ({
        redirectUri,
        async authorize(url, { record }) {
          Object.assign(begun, { url, record: record() });
          throw new AuthError("LOGIN_CANCELLED", "It goes on elsewhere.");
        },
      }),
    };
    await expect(oauth({ store, login: first, scopes }).login(server.url)).rejects.toThrow(/elsewhere/);
    const response = await provider.logIn(begun.url!);
    const second: Login = {
      start: () => Promise.reject(new Error("no")),
      returned: () => ({ record: begun.record!, response }),
    };
    await oauth({ store, login: second }).login(server.url);
  };
  return { provider, server, store, logIn };
}

test("calls without a way to log in are told so each time, and work once the user has logged in elsewhere", async () => {
  const { server, store, logIn } = await start();
  const auth = oauth({ store });
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await expect(connect(server.url, { auth })).rejects.toMatchObject({
      code: "LOGIN_REQUIRED",
      scopes: ["mcp:basic", "offline_access"],
    });
  }
  await logIn();
  const client = await connect(server.url, { auth });
  cleanups.push(() => client.close());
  expect((await client.callTool("whoami")).content).toEqual([{ type: "text", text: "alice" }]);
});

test("a login() that finds a response finishes that login, also if there are tokens with fewer scopes", async () => {
  const { server, store, logIn, provider } = await start({ toolScopes: { write: ["mcp:write"] } });
  await logIn();
  const client = await connect(server.url, { auth: oauth({ store }) });
  cleanups.push(() => client.close());
  const refusal = await client.callTool("write").catch((error: unknown) => error as AuthError);
  expect(refusal).toMatchObject({ code: "LOGIN_REQUIRED" });
  expect((refusal as AuthError).scopes).toEqual(expect.arrayContaining(["mcp:basic", "mcp:write"]));
  await logIn((refusal as AuthError).scopes);
  expect((await client.callTool("write")).content).toEqual([{ type: "text", text: "written" }]);
  expect(provider.tokenRequests("authorization_code")).toHaveLength(2);
});

test("a login that ends elsewhere gets tokens that are bound to a key, if the server wants that", async () => {
  const { server, store, logIn } = await start({ dpop: "required" });
  await logIn();
  const client = await connect(server.url, { auth: oauth({ store }) });
  cleanups.push(() => client.close());
  expect((await client.callTool("whoami")).content).toEqual([{ type: "text", text: "alice" }]);
});
