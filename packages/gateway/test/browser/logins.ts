/** Logins in a real browser: by the link that `serve` prints, and through the forms of a real authorization server. */
import type { Browser, Page } from "playwright-core";
import { startProvider } from "../../../client/test/auth/lab/identity-provider.ts";
import { startProtectedServer } from "../../../client/test/auth/lab/protected-server.ts";
import { createGateway } from "../../src/create-gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { findPort } from "../logins/find-port.ts";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { TOKEN } from "./fixture.ts";
import { seen } from "./seen.ts";
import { openTab, type Tab } from "./tab.ts";

/** Logs in to the page in every way, and connects an account at an upstream. */
export async function checkLogins(run: Run, browser: Browser): Promise<void> {
  console.log("logins");
  await run.check(
    "the link that serve prints logs in once, also in a tab of the page, and says so the second time",
    () => logInByLink(browser),
  );
  await run.check("a person logs in to the page at an identity provider, and another one is not let in", () =>
    logInToPage(browser),
  );
  await run.check("a caller connects an account at an upstream, after a look at what is connected", () =>
    connectAccount(browser),
  );
}

async function logInByLink(browser: Browser): Promise<void> {
  const gateway = await createGateway(
    { version: 1, admin: { token: TOKEN } },
    { port: 0, adminPort: 0, storage: openMemoryStorage() },
  );
  const url = gateway.adminUrl ?? "";
  const link = gateway.createPageLink() ?? "";
  const open = (): Promise<Tab> => openTab(browser, url, { theme: "light", width: 1440 });
  try {
    const first = await open();
    await first.page.goto(link);
    await first.page.getByRole("heading", { name: "Overview" }).waitFor();
    await hasNoCode(first.page, link);
    await first.page.reload();
    await first.page.getByRole("heading", { name: "Overview" }).waitFor();
    expectNone("complaints", first.complaints);
    await first.close();

    // Somebody else who finds the link is told why it is worth nothing, and how to go on.
    const second = await open();
    await second.page.goto(link);
    await second.page.getByRole("alert").getByText("This link logs in once").waitFor();
    await second.page.getByLabel("Admin token").waitFor();
    await hasNoCode(second.page, link);
    // A new link that is pasted over the address of this tab loads nothing: only what follows # changes.
    const next = gateway.createPageLink() ?? "";
    await second.page.goto(next);
    await second.page.getByRole("heading", { name: "Overview" }).waitFor();
    await hasNoCode(second.page, next);
    await second.page.getByRole("button", { name: "Log out" }).click();
    await second.page.getByLabel("Admin token").waitFor();
    expectSame(await second.page.getByRole("alert").count(), 0);
    expectNone(
      "complaints",
      second.complaints.filter((each) => !each.includes("status of 401")),
    );
    await second.close();
  } finally {
    await gateway.close();
  }
}

/** The code is neither in the address nor in what the browser keeps. */
async function hasNoCode(page: Page, link: string): Promise<void> {
  expectSame(page.url(), new URL("/", link).href);
  const code = link.split("#login=")[1] ?? "";
  const kept = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, history.state]),
  );
  expectSame(code.length > 40 && !kept.includes(code) && !(await page.content()).includes(code), true);
}

async function logInToPage(browser: Browser): Promise<void> {
  const adminPort = await findPort();
  const provider = await startProvider({
    clients: [
      {
        client_id: "page",
        token_endpoint_auth_method: "none",
        redirect_uris: [`http://127.0.0.1:${adminPort}/login/callback`],
        grant_types: ["authorization_code"],
      },
    ],
  });
  const login = { name: "Example", issuer: provider.issuer, client: { id: "page" }, allow: { subjects: ["ada"] } };
  const gateway = await createGateway(
    { version: 1, admin: { login }, network: { allow: ["127.0.0.1"] } },
    { port: 0, adminPort, storage: openMemoryStorage() },
  );
  const url = gateway.adminUrl ?? "";
  try {
    for (const user of ["eve", "ada"]) {
      const tab = await openTab(browser, url, { theme: "light", width: 1440 });
      await tab.page.goto(`${url}/keys`);
      await tab.page.getByLabel("Admin token").waitFor();
      await tab.page.getByRole("link", { name: "Log in with Example" }).click();
      await fillForms(tab.page, user);
      if (user === "eve") await seen(tab.page, "you may not use this page").waitFor();
      else await tab.page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
      // The view that was asked for, and no code in the address.
      expectSame(new URL(tab.page.url()).pathname, user === "eve" ? "/" : "/keys");
      expectSame(tab.page.url().includes("code="), false);
      expectSame(await tab.page.evaluate(() => document.cookie), "");
      expectNone("complaints", ownComplaints(tab, provider.issuer));
      await tab.close();
    }
  } finally {
    await gateway.close();
    await provider.close();
  }
}

async function connectAccount(browser: Browser): Promise<void> {
  const provider = await startProvider();
  const upstream = await startProtectedServer({ providers: [provider] });
  const port = await findPort();
  const url = `http://127.0.0.1:${port}`;
  const storage = openMemoryStorage();
  const gateway = await createGateway(
    {
      version: 1,
      admin: false,
      listen: { publicUrl: url },
      network: { allow: ["127.0.0.1"] },
      servers: { work: { auth: { apiKeys: true }, upstreams: { notes: { url: upstream.url, auth: { oauth: {} } } } } },
    },
    { port, storage },
  );
  try {
    const { secret } = await storage.keys.create({ name: "ada", principal: "ada@example.com" });
    const call = async (name: string): Promise<string> => {
      const response = await fetch(`${url}/mcp/work`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": secret },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
      });
      return response.text();
    };
    const link = /http:\S+ticket=[\w-]+/.exec(await call("connect_notes"))?.[0] ?? "";
    const tab = await openTab(browser, url, { theme: "dark", width: 360 });
    const { page } = tab;
    await page.goto(link);
    await seen(page, "ada@example.com").waitFor();
    await seen(page, new URL(upstream.url).host).waitFor();
    await page.getByRole("button", { name: "Log in and connect" }).click();
    await fillForms(page, "ada-at-notes");
    await page.getByRole("heading", { name: "Connected" }).waitFor();
    expectSame(page.url(), `${url}/connect/done`);
    expectSame(await page.evaluate(() => document.cookie), "");
    expectNone("complaints", ownComplaints(tab, provider.issuer));
    // Back in the history, nothing is connected again.
    await page.goto(link);
    await page.getByRole("heading", { name: "Not connected" }).waitFor();
    expectSame((await call("whoami")).includes("ada-at-notes"), true);
    await tab.close();
  } finally {
    await gateway.close();
    await upstream.close();
    await provider.close();
  }
}

/** Fills in the two forms of the authorization server. */
async function fillForms(page: Page, user: string): Promise<void> {
  await page.locator('input[name="login"]').fill(user);
  await page.locator('input[name="password"]').fill("any");
  await page.locator('button[type="submit"]').click();
  await page.locator('button[type="submit"]').click();
}

/** Complaints that are not about pages of the authorization server, which want fonts of the internet. */
function ownComplaints({ complaints }: Tab, issuer: string): string[] {
  return complaints.filter(
    (each) => !each.includes(issuer) && !/favicon|status of 4\d\d|fonts\.g|ERR_NAME_NOT_RESOLVED/.test(each),
  );
}
