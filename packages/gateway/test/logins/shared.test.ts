import { expect, test } from "vitest";
import type { LoginsView } from "../../src/admin/views.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { Browser, startLab, type LoginLab } from "./lab.ts";

const TOKEN = "admin-token-of-the-test-0123456789";

function startShared(): Promise<LoginLab> {
  return startLab({
    config: { admin: { token: "${env:ADMIN}" } },
    gateway: { env: { ADMIN: TOKEN } },
    upstream: ({ upstream: { url } }) => ({ url, auth: { oauth: { shared: true } } }),
  });
}

function adminOf({ local }: LoginLab): (method: string, path: string) => Promise<Response> {
  return (method, path) =>
    fetch(`${local.gateway.adminUrl}/api/v1/servers/work/upstreams/notes/${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(method === "POST" && { body: "{}" }),
    });
}

test("An admin logs in once for all callers, who are not asked, and ends the login again", async () => {
  const lab = await startShared();
  const { local, provider } = lab;
  const admin = adminOf(lab);
  const [ada, bob] = [await local.key({ principal: "ada" }), await local.key({ principal: "bob" })];
  expect(await local.list("work", ada)).toEqual([]);
  expect(local.gateway.server("work")?.problems.join()).toContain("toolwire-gateway login work/notes");
  const { url } = (await (await admin("POST", "logins")).json()) as { readonly url: string };
  const browser = new Browser();
  expect(await (await browser.get(url)).text()).toContain("everybody who may use this server");
  await browser.connect(url, provider, "robot");
  for (const key of [ada, bob]) {
    await expect.poll(() => local.list("work", key)).toContain("whoami");
    expect(await local.call("work", "whoami", {}, key)).toMatchObject({ text: "robot" });
  }
  const { logins } = (await (await admin("GET", "logins")).json()) as LoginsView;
  expect(logins).toEqual([{ since: expect.any(Number) as number }]);
  expect((await admin("DELETE", "logins")).status).toBe(204);
  await expect.poll(() => local.list("work", ada)).toEqual([]);
  // It is revoked, not only forgotten.
  expect(provider.requests.some(({ path }) => path === "/token/revocation")).toBe(true);
  expect((await admin("DELETE", "logins")).status).toBe(404);
  const actions = (await local.gateway.storage.audit.list()).map(({ action }) => action);
  expect(actions).toEqual(["upstream.disconnect", "upstream.login", "upstream.login-link"]);
});

test("The command line prints the link, lists logins and ends them", async () => {
  const { local, provider } = await startShared();
  const lines: string[] = [];
  const console = {
    print: (line: string) => void lines.push(line),
    tell: () => undefined,
    readInput: async () => "",
    env: { GATEWAY_ADMIN_TOKEN: TOKEN, TOOLWIRE_GATEWAY_ADMIN: local.gateway.adminUrl },
    isTerminal: false,
  };
  const run = (...argv: string[]): Promise<number> => runCommandLine(COMMANDS, argv, console);
  expect(await run("login", "work/notes")).toBe(0);
  await new Browser().connect(lines.pop() ?? "", provider, "robot");
  expect(await run("login", "work/notes", "--list", "--json")).toBe(0);
  expect(JSON.parse(lines.pop() ?? "")).toEqual([{ since: expect.any(Number) as number }]);
  expect(await run("login", "work/notes", "--end")).toBe(0);
  expect(await run("login", "work/notes", "--end")).toBe(1);
  expect(await run("login", "work")).toBe(2);
  expect(await run("login", "work/notes", "--principal", "ada")).toBe(2);
});

test("A caller's login is ended by an admin at once, also for connections that are open", async () => {
  const lab = await startLab({ config: { admin: { token: "${env:ADMIN}" } }, gateway: { env: { ADMIN: TOKEN } } });
  const { local, provider } = lab;
  const admin = adminOf(lab);
  const ada = await local.key({ principal: "ada" });
  const link = /http\S+/.exec((await local.call("work", "connect_notes", {}, ada)).text ?? "")?.[0] ?? "";
  await new Browser().connect(link, provider);
  await expect.poll(() => local.list("work", ada)).toContain("whoami");
  expect((await admin("POST", "logins")).status).toBe(422);
  expect((await admin("DELETE", "logins?principal=bob")).status).toBe(404);
  expect((await admin("DELETE", "logins?principal=ada")).status).toBe(204);
  await expect.poll(() => local.list("work", ada)).toContain("connect_notes");
  const answer = await local.call("work", "connect_notes", {}, ada);
  expect(answer.isError).toBe(true);
});
