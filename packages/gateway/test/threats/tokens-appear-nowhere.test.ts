import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthError, createServer, tool, ToolError } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { startProvider } from "../../../client/test/auth/lab/identity-provider.ts";
import type { GrantStore } from "../../src/storage/storage.ts";
import { startLocal } from "../local-gateway.ts";
import { findPort } from "../logins/find-port.ts";
import { Browser, linkIn } from "../logins/lab.ts";

const ADMIN = "admin-token-of-the-test-0123456789";

/** A server that takes any token, and repeats it wherever it can. */
async function startEcho(issuer: string): Promise<string> {
  const metadata = createHttpServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ resource: url, authorization_servers: [issuer], scopes_supported: ["mcp:basic"] }));
  });
  await new Promise<void>((resolve) => metadata.listen(0, "127.0.0.1", resolve));
  const { port } = metadata.address() as AddressInfo;
  const echo = createServer({
    name: "echo",
    version: "1",
    tools: {
      say: tool({ description: "Repeats", run: (_, ctx) => `You sent ${ctx.header("authorization")}` }),
      fail: tool({
        description: "Fails",
        run: (_, ctx) => {
          throw new ToolError(`Wrong: ${ctx.header("authorization")}`);
        },
      }),
      crash: tool({
        description: "Is refused",
        run: (_, ctx) => {
          throw new AuthError("FORBIDDEN", String(ctx.header("authorization")));
        },
      }),
    },
    onDiagnostic: () => undefined,
  });
  const serving = await serveHttp(echo, {
    port: 0,
    authenticate({ header }) {
      if (header("authorization") !== undefined) return { id: "somebody" };
      const challenge = `Bearer resource_metadata="http://127.0.0.1:${port}/prm"`;
      throw new AuthError("UNAUTHORIZED", "No.", { challenge });
    },
  });
  const { url } = serving;
  onTestFinished(async () => {
    await serving.close();
    await new Promise((resolve) => metadata.close(resolve));
  });
  return url;
}

test("tokens-appear-nowhere: tokens, codes, verifiers and tickets of logins are in no answer, log, record, page or admin view", async () => {
  const provider = await startProvider({ format: "opaque" });
  onTestFinished(() => provider.close());
  const url = await startEcho(provider.issuer);
  const port = await findPort();
  await using local = await startLocal(
    { work: { auth: { apiKeys: true }, capture: true, upstreams: { notes: { url, auth: { oauth: {} } } } } },
    {
      config: { admin: { token: "${env:ADMIN}" }, listen: { publicUrl: `http://127.0.0.1:${port}` } },
      options: { port, env: { ADMIN } },
    },
  );
  const keptGrants = watchGrants(local.gateway.storage.grants);
  const key = await local.key({ principal: "ada" });
  const browser = new Browser();
  const link = linkIn((await local.call("work", "connect_notes", {}, key)).text);
  const start = await browser.agree(link);
  const back = await provider.logIn(start, "ada");
  let seen = await (await browser.get(back)).text();
  seen += await (await browser.get(back)).text();
  await expect.poll(() => local.list("work", key)).toContain("say");
  for (const name of ["say", "fail", "crash"]) seen += JSON.stringify(await local.call("work", name, {}, key));
  provider.outage = ({ path }) => (path === "/token" ? "html" : undefined);
  for (const path of [
    "servers/work",
    "servers/work/upstreams/notes/logins",
    "upstreams",
    "config",
    "audit",
    "health",
    "metrics",
    "calls",
    ...local.records.map(({ id }) => `calls/${id}`),
  ]) {
    const response = await fetch(`${local.gateway.adminUrl}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    expect(response.status, path).toBe(200);
    seen += await response.text();
  }
  seen += JSON.stringify([local.records, local.events]);
  const exchange = provider.tokenRequests("authorization_code")[0]?.body;
  const grant = keptGrants.at(-1) as { accessToken: string; refreshToken: string };
  const secrets = {
    accessToken: grant.accessToken,
    refreshToken: grant.refreshToken,
    code: exchange?.get("code") ?? "",
    verifier: exchange?.get("code_verifier") ?? "",
    state: new URL(back).searchParams.get("state") ?? "",
  };
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(20);
    for (const form of [
      secret,
      Buffer.from(secret).toString("base64").replaceAll("=", ""),
      encodeURIComponent(secret),
    ]) {
      expect(seen.includes(form), name).toBe(false);
    }
  }
  // The upstream did repeat it.
  expect(seen).toContain("You sent Bearer [secret]");
  expect(seen).toContain("Wrong: Bearer [secret]");
});

/** All grants that are kept from now on. */
function watchGrants(grants: GrantStore): readonly unknown[] {
  const kept: unknown[] = [];
  const open = grants.open.bind(grants);
  vi.spyOn(grants, "open").mockImplementation((owner) => {
    const store = open(owner);
    const swap: typeof store.swap = (key, expected, next) => {
      if (key.startsWith("grant ") && next !== undefined) kept.push(next);
      return store.swap(key, expected, next);
    };
    return { ...store, get: (key) => store.get(key), swap };
  });
  return kept;
}
