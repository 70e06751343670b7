import { inspect } from "node:util";
import { type Client, connect, type ConnectOptions } from "@toolwire/client";
import { clientCredentials, memoryStore, oauth, workload } from "@toolwire/client/auth";
import { afterEach, expect, test, vi } from "vitest";
import { instantLogin, protectedSite, type Script, type Site, startSite } from "./lab/scripted-site.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Everything that a program could print, log or show. */
class Witness {
  readonly told: string[] = [];

  tell = (...things: readonly unknown[]): void => {
    for (const thing of things) {
      this.told.push(
        typeof thing === "string" ? thing : inspect(thing, { depth: 20, showHidden: true, getters: true }),
      );
      for (let error = thing; error instanceof Error; error = error.cause) {
        this.told.push(
          `${error.message} ${error.stack} ${JSON.stringify(error)} ${inspect(error, { depth: 20, showHidden: true })}`,
        );
      }
    }
  };
}

/** Ways in which an authorization server, or the server, goes wrong in the middle. */
const DISASTERS: Readonly<Record<string, Script>> = {
  none: () => undefined,
  "the token endpoint repeats the request": ({ path, text, headers }) =>
    path === "/token"
      ? { status: 400, json: { error: "invalid_request", error_description: "bad", body: text, headers } }
      : undefined,
  "the token endpoint fails": ({ path }) => (path === "/token" ? { status: 500, text: "no" } : undefined),
  "the token endpoint sends no JSON": ({ path, form }) =>
    path === "/token" ? { text: `<p>${form.get("code")}` } : undefined,
  "tokens of a strange type": ({ path }) =>
    path === "/token"
      ? { json: { access_token: "canary-strange", token_type: "mac", refresh_token: "canary-refresh" } }
      : undefined,
  "the token is refused": ({ path, headers }) =>
    path === "/mcp" && headers.authorization ? { status: 401, headers: { "www-authenticate": "Bearer" } } : undefined,
  "the request is forbidden": ({ path, headers }) =>
    path === "/mcp" && headers.authorization
      ? { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="x"' } }
      : undefined,
  "the server fails": ({ path, headers }) =>
    path === "/mcp" && headers.authorization ? { status: 500, text: "broken" } : undefined,
};

const providers: Readonly<Record<string, (site: Site, code: string) => ConnectOptions>> = {
  oauth: (_, code) => ({ auth: oauth({ login: instantLogin({ code }), store: memoryStore() }) }),
  "oauth with a secret": ({ origin }, code) => ({
    auth: oauth({ client: { id: "me", secret: "canary-secret", issuer: origin }, login: instantLogin({ code }) }),
  }),
  clientCredentials: ({ origin }) => ({
    auth: clientCredentials({ id: "me", secret: "canary-secret", issuer: origin }),
  }),
  workload: ({ origin }) => ({ auth: workload({ issuer: origin, assertion: () => "canary-assertion" }) }),
};

test.each(
  Object.keys(providers).flatMap((name) => Object.keys(DISASTERS).map((disaster) => [name, disaster] as const)),
)("threat 18: canary tokens appear nowhere (%s, %s)", async (name, disaster) => {
  const witness = new Witness();
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation(witness.tell);
  }
  const site = await startSite(
    protectedSite({
      first: DISASTERS[disaster]!,
      issuer: () => ({ token_endpoint_auth_methods_supported: ["client_secret_post", "none"] }),
      token: () => ({
        json: {
          access_token: "canary-access",
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: "canary-refresh",
          id_token: "canary.id.token",
        },
      }),
    }),
  );
  cleanups.push(() => site.close());
  const options = providers[name]!(site, "canary-code");
  const auth = options.auth as ReturnType<typeof oauth>;
  auth.onChange(witness.tell);
  let client: Client | undefined;
  try {
    client = await connect(`${site.origin}/mcp`, { ...options, revision: "2026-07-28", onDiagnostic: witness.tell });
    witness.tell(await client.listTools());
  } catch (error) {
    witness.tell(error);
  }
  witness.tell(auth.status(), auth);
  await client?.close();
  await auth.logout().catch(witness.tell);
  // No secret is in any URL: those are in logs of servers and proxies.
  witness.tell(...site.requests.map(({ path, query }) => `${path}?${query.toString()}`));
  const verifiers = site.at("/token").flatMap(({ form }) => form.get("code_verifier") ?? []);
  const all = witness.told.join("\n");
  expect(all).not.toContain("canary");
  for (const verifier of verifiers) expect(all).not.toContain(verifier);
  expect(witness.told.length).toBeGreaterThan(3);
});
