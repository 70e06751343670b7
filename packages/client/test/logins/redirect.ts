/** Logins by which a page is left, and comes back to. */
import type { Browser, Page } from "playwright-core";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { historyOf, inScene, logInAs, openApplication, type Scene, type SceneOptions, untilShown } from "./scene.ts";

/** Everything that the browser keeps of an origin, as text. */
function kept(page: Page): Promise<string> {
  return page.evaluate(async () =>
    JSON.stringify({
      session: Object.entries(sessionStorage),
      local: Object.entries(localStorage),
      databases: await indexedDB.databases(),
      cookies: document.cookie,
    }),
  );
}

/** Runs all checks of logins that leave the page. */
export async function checkRedirectLogins(run: Run, browser: Browser): Promise<void> {
  console.log("logins that leave the page");
  const check = (name: string, options: SceneOptions, work: (scene: Scene) => Promise<void>): Promise<void> =>
    run.check(name, () => inScene(browser, options, work));

  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    await check(`a user logs in and comes back, and no address holds the code (${revision})`, {}, async (scene) => {
      const { page, idp } = scene;
      const origin = await openApplication(scene, { login: "redirect", revision });
      await page.locator("button").click();
      await logInAs(page, "alice");
      await untilShown(page, "hello alice");
      expectSame(page.url(), `${origin}/`);
      expectNone(
        "addresses with a code",
        (await historyOf(page)).filter((url) => url.includes("code=")),
      );
      expectSame(idp.tokenRequests("authorization_code").length, 1);
      // Tokens are in memory only: nothing of the login is left in the browser.
      expectSame(JSON.parse(await kept(page)), { session: [], local: [], databases: [], cookies: "" });
    });
  }

  await check("a response with a foreign state finishes nothing, and the real one still does", {}, async (scene) => {
    const { page, idp } = scene;
    const origin = await openApplication(scene, { login: "redirect" });
    await page.locator("button").click();
    await page.locator('input[name="login"]').waitFor();
    const login = page.url();
    await page.goto(`${origin}/?code=stolen&state=foreign`);
    await page.locator("button").waitFor();
    expectSame(idp.tokenRequests("authorization_code").length, 0);
    await page.goto(login);
    await logInAs(page, "alice");
    await untilShown(page, "hello alice");
    expectSame(idp.tokenRequests("authorization_code").length, 1);
    expectSame(idp.tokenRequests("refresh_token").length, 0);
  });

  await check("a user who denies access is told so, in the words of the page", {}, async (scene) => {
    const { page } = scene;
    const origin = await openApplication(scene, { login: "redirect" });
    await page.locator("button").click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await untilShown(page, "LOGIN_CANCELLED");
    expectSame(page.url(), `${origin}/`);
  });

  await check("a code that has ended is refused, and the next click logs in anew", {}, async (scene) => {
    const { page, idp } = scene;
    let isLate = true;
    await openApplication(scene, { login: "redirect" }, async (code) => {
      if (isLate) await idp.expireCode(code);
      isLate = false;
    });
    await page.locator("button").click();
    await logInAs(page, "alice");
    await untilShown(page, "LOGIN_FAILED");
    await page.locator("button").click();
    // The authorization server remembers who was logged in, and asks whether that user still agrees.
    await page.locator('button[type="submit"]').click();
    await untilShown(page, "hello alice");
  });

  await check("tokens of the database outlive the page, and a second page needs no login", {}, async (scene) => {
    const { page, idp, context } = scene;
    const origin = await openApplication(scene, { login: "redirect", store: "database" });
    await page.locator("button").click();
    await logInAs(page, "alice");
    await untilShown(page, "hello alice");
    const second = await context.newPage();
    await second.goto(origin);
    await second.locator("button").click();
    await untilShown(second, "hello alice");
    expectSame(idp.tokenRequests("authorization_code").length, 1);
    expectSame(idp.tokenRequests("refresh_token").length, 0);
  });

  await check("a page whose database is deleted logs in again, and does not stand in the way", {}, async (scene) => {
    const { page } = scene;
    await openApplication(scene, { login: "redirect", store: "database" });
    await page.locator("button").click();
    await logInAs(page, "alice");
    await untilShown(page, "hello alice");
    const outcome = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const request = indexedDB.deleteDatabase("toolwire-auth");
          for (const event of ["success", "error", "blocked"]) request.addEventListener(event, () => resolve(event));
        }),
    );
    expectSame(outcome, "success");
    await page.reload();
    await page.locator("button").click();
    // The authorization server remembers who was logged in, and asks about this client, which is a new one.
    await page.locator('input[name="prompt"][value="consent"]').waitFor({ state: "attached" });
    await page.locator('button[type="submit"]').click();
    await untilShown(page, "hello alice");
  });

  await check(
    "tokens are bound to a key that no script can export, and a reload uses it again",
    { server: { dpop: "required" } },
    async (scene) => {
      const { page, idp, server } = scene;
      await openApplication(scene, { login: "redirect", store: "database" });
      await page.locator("button").click();
      await logInAs(page, "alice");
      await untilShown(page, "hello alice");
      expectSame(await exportKey(page), { extractable: false, exported: "InvalidAccessError" });
      await page.reload();
      await page.locator("button").click();
      await untilShown(page, "hello alice");
      expectSame(idp.tokenRequests("authorization_code").length, 1);
      expectSame(idp.tokenRequests("refresh_token").length, 0);
      const proofs = server.seen.flatMap(({ proof }) => proof ?? []);
      expectSame(new Set(proofs).size, proofs.length);
    },
  );
}

/** Tries to get the key of the stored grant out of the browser. */
function exportKey(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open("toolwire-auth");
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(new Error("no database")));
    });
    const entries = await new Promise<unknown[]>((resolve) => {
      const request = opened.transaction("entries").objectStore("entries").getAll();
      request.addEventListener("success", () => resolve(request.result as unknown[]));
    });
    opened.close();
    const values = (entries as { value: { dpopKey?: CryptoKeyPair } }[]).map(({ value }) => value);
    const key = values.find(({ dpopKey }) => dpopKey !== undefined)?.dpopKey?.privateKey;
    if (key === undefined) return "no key";
    const exported = await crypto.subtle.exportKey("jwk", key).then(
      () => "exported",
      (error: Error) => error.name,
    );
    return { extractable: key.extractable, exported };
  });
}
