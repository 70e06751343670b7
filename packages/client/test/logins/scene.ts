import type { Browser, BrowserContext, Page } from "playwright-core";
import { type IdentityProvider, type IdentityProviderOptions, startProvider } from "../auth/lab/identity-provider.ts";
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from "../auth/lab/protected-server.ts";
import { serveApplication } from "./application.ts";
import type { PageSettings } from "./page.ts";

/** A browser with an empty profile, an authorization server, and an MCP server that wants its tokens. */
export interface Scene {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly idp: IdentityProvider;
  /** Another authorization server, which the MCP server may move to. */
  readonly otherIdp: IdentityProvider;
  readonly server: ProtectedServer;
  /** Everything that is closed at the end, the last first. */
  readonly cleanups: (() => Promise<unknown>)[];
}

/** The wishes of a check. */
export interface SceneOptions {
  readonly idp?: IdentityProviderOptions;
  readonly server?: Omit<ProtectedServerOptions, "providers">;
}

/** Runs work in a scene of its own. */
export async function inScene(
  browser: Browser,
  options: SceneOptions,
  work: (scene: Scene) => Promise<void>,
): Promise<void> {
  const cleanups: Scene["cleanups"] = [];
  try {
    const idp = await startProvider({ allowsPages: true, ...options.idp });
    cleanups.push(() => idp.close());
    const otherIdp = await startProvider({ allowsPages: true });
    cleanups.push(() => otherIdp.close());
    const server = await startProtectedServer({
      providers: [idp, otherIdp],
      allowsPages: true,
      ...options.server,
    });
    server.issuers = [idp.issuer];
    cleanups.push(() => server.close());
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC" });
    cleanups.push(() => context.close());
    context.setDefaultTimeout(5_000);
    await work({ context, page: await context.newPage(), idp, otherIdp, server, cleanups });
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

/** Shows the page of an application in the tab. Returns its origin. `returned` sees each code that comes back. */
export async function openApplication(
  scene: Scene,
  settings: Pick<PageSettings, "login"> & Partial<PageSettings>,
  returned?: (code: string) => Promise<void>,
): Promise<string> {
  const { server, page, cleanups } = scene;
  const application = await serveApplication(
    { server: server.url, revision: "2026-07-28", store: "memory", ...settings },
    returned,
  );
  cleanups.push(() => application.close());
  await page.goto(application.origin);
  return application.origin;
}

/** Logs in and agrees, as a user does on the pages of the authorization server. */
export async function logInAs(page: Page, user: string): Promise<void> {
  await page.locator('input[name="login"]').fill(user);
  await page.locator('input[name="password"]').fill("any");
  await page.locator('button[type="submit"]').click();
  await page.locator('input[name="prompt"][value="consent"]').waitFor({ state: "attached" });
  await page.locator('button[type="submit"]').click();
}

/** Waits until the page of the application shows a text. */
export async function untilShown(page: Page, text: string): Promise<void> {
  const output = page.locator("output");
  try {
    await output.filter({ hasText: text }).waitFor();
  } catch {
    const shown = await output.textContent({ timeout: 1000 }).catch(() => "another page");
    throw new Error(`the page at ${page.url()} should show "${text}", and shows "${shown}"`);
  }
}

/** The addresses in the history of a tab, the current one included. */
export async function historyOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  await session.detach();
  return entries.map(({ url }) => url);
}
