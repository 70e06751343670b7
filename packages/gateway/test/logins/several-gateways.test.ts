import { expect, onTestFinished, test } from "vitest";
import { startProvider } from "../../../client/test/auth/lab/identity-provider.ts";
import { startProtectedServer } from "../../../client/test/auth/lab/protected-server.ts";
import type { GatewayConfig } from "../../src/config/config.ts";
import { createGateway } from "../../src/create-gateway.ts";
import type { Gateway } from "../../src/gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { findPort } from "./find-port.ts";
import { Browser, linkIn } from "./lab.ts";

/** Calls a tool of the server `work`. */
async function callTool(gateway: Gateway, name: string, key: string): Promise<string> {
  const response = await fetch(`${gateway.url}/mcp/work`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });
  const { result, error } = (await response.json()) as {
    readonly result?: { readonly content: readonly [{ readonly text: string }] };
    readonly error?: { readonly message: string };
  };
  return result?.content[0].text ?? error?.message ?? "";
}

test("Of several gateways on one storage, one makes the link, another begins and ends the login, and all of them use it", async () => {
  const provider = await startProvider({ lifetime: 3 });
  const upstream = await startProtectedServer({ providers: [provider] });
  const storage = openMemoryStorage();
  const port = await findPort();
  const config: GatewayConfig = {
    version: 1,
    admin: false,
    listen: { publicUrl: `http://127.0.0.1:${port}` },
    network: { allow: ["127.0.0.1"] },
    servers: { work: { auth: { apiKeys: true }, upstreams: { notes: { url: upstream.url, auth: { oauth: {} } } } } },
  };
  const shared = { ...storage, close: async () => undefined };
  const front = await createGateway(config, { port, storage: shared });
  const other = await createGateway(config, { port: 0, storage: shared });
  onTestFinished(async () => {
    await Promise.all([front.close(), other.close()]);
    await upstream.close();
    await provider.close();
  });
  const { secret } = await storage.keys.create({ name: "ada", principal: "ada" });
  const link = linkIn(await callTool(other, "connect_notes", secret));
  expect(await new Browser().connect(link, provider, "ada")).toContain("Connected");
  for (const gateway of [front, other]) await expect.poll(() => callTool(gateway, "whoami", secret)).toBe("ada");
  // Both renew the same grant, whose refresh tokens work once: nobody is logged out.
  await expect
    .poll(
      async () => {
        const names = await Promise.all([front, other, front, other].map((each) => callTool(each, "whoami", secret)));
        expect(names).toEqual(["ada", "ada", "ada", "ada"]);
        return provider.tokenRequests("refresh_token").length;
      },
      { timeout: 15_000, interval: 100 },
    )
    .toBeGreaterThan(1);
  await front.disconnect({ server: "work", upstream: "notes", principal: "ada" });
  await expect.poll(() => callTool(other, "connect_notes", secret)).toContain("/connect/work/notes?ticket=");
});
