/** Logins in a window of their own, while the page stays. */
import type { Browser, Page } from "playwright-core";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { historyOf, inScene, logInAs, openApplication, type Scene, type SceneOptions, untilShown } from "./scene.ts";

/** Clicks, and waits for the window that opens. */
async function openWindow({ page }: Scene): Promise<Page> {
  const opening = page.waitForEvent("popup");
  await page.locator("button").click();
  const opened = await opening;
  await opened.locator('input[name="login"]').waitFor();
  return opened;
}

/** Logs in in a window, and waits until it is closed. */
async function logInWithin(opened: Page): Promise<void> {
  const closing = opened.waitForEvent("close");
  await logInAs(opened, "alice");
  await closing;
}

/** Runs all checks of logins in a window. */
export async function checkWindowLogins(run: Run, browser: Browser): Promise<void> {
  console.log("logins in a window");
  const check = (name: string, options: SceneOptions, work: (scene: Scene) => Promise<void>): Promise<void> =>
    run.check(name, () => inScene(browser, options, work));

  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    await check(`a user logs in in a window, which closes itself (${revision})`, {}, async (scene) => {
      const { page, idp } = scene;
      const origin = await openApplication(scene, { login: "window", revision });
      await logInWithin(await openWindow(scene));
      await untilShown(page, "hello alice");
      expectSame(await historyOf(page), ["about:blank", `${origin}/`]);
      expectSame(idp.tokenRequests("authorization_code").length, 1);
      await page.locator("button").click();
      await untilShown(page, "hello alice");
      expectSame(idp.tokenRequests("authorization_code").length, 1);
    });
  }

  await check("the page of the login cannot reach the page that opened it", {}, async (scene) => {
    await openApplication(scene, { login: "window" });
    const opened = await openWindow(scene);
    expectSame(await opened.evaluate(() => window.opener === null), true);
    await logInWithin(opened);
    await untilShown(scene.page, "hello alice");
  });

  await check(
    "a login works although its pages cut the tie to the page that opened them",
    { idp: { headers: { "cross-origin-opener-policy": "same-origin" } } },
    async (scene) => {
      // Without a screen, all windows say that they have the focus. On one, it is with the window that was opened.
      await scene.page.addInitScript(() => {
        document.hasFocus = () => false;
      });
      await openApplication(scene, { login: "window" });
      const opened = await openWindow(scene);
      // Long enough for the page to look at the window several times: it seems closed.
      await scene.page.evaluate(async () => {
        for (let frame = 0; frame < 150; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
      });
      await logInWithin(opened);
      await untilShown(scene.page, "hello alice");
    },
  );

  await check(
    "a server that moves to another authorization server is followed, although its metadata may be cached",
    {},
    async (scene) => {
      const { page, server, idp, otherIdp } = scene;
      await openApplication(scene, { login: "window" });
      await logInWithin(await openWindow(scene));
      await untilShown(page, "hello alice");
      server.issuers = [otherIdp.issuer];
      const opened = await openWindow(scene);
      expectSame(new URL(opened.url()).origin, otherIdp.issuer);
      await logInWithin(opened);
      await untilShown(page, "hello alice");
      expectSame(idp.tokenRequests("refresh_token").length, 0);
    },
  );

  await check("a window that the user closes is a login that was given up", {}, async (scene) => {
    const { page } = scene;
    await openApplication(scene, { login: "window" });
    await (await openWindow(scene)).close();
    await untilShown(page, "LOGIN_CANCELLED");
    // The next click opens another one.
    await logInWithin(await openWindow(scene));
    await untilShown(page, "hello alice");
  });

  await check("a window that the browser blocks is told to the page", {}, async (scene) => {
    const opened: Page[] = [];
    scene.page.on("popup", (window) => opened.push(window));
    // Whoever looks into the page by Playwright counts as a user who clicks, so the page has to say when it is done.
    const said = scene.page.waitForEvent("console", (message) => message.text().startsWith("LOGIN_CANCELLED"));
    await openApplication(scene, { login: "window", callsAtOnce: true });
    await said;
    await untilShown(scene.page, "The browser blocked the window");
    expectSame(opened.length, 0);
    // With a click, it opens.
    await logInWithin(await openWindow(scene));
    await untilShown(scene.page, "hello alice");
  });

  await check("a page of another origin can neither hear nor answer", {}, async (scene) => {
    const { page, context, idp } = scene;
    const origin = await openApplication(scene, { login: "window" });
    const opened = await openWindow(scene);
    // The state is known to this stranger, as it is in the address of the window.
    const state = idp.requests.flatMap(({ query }) => query.get("state") ?? [])[0];
    const stranger = await context.newPage();
    await stranger.goto(origin.replace("localhost", "127.0.0.1"));
    await stranger.evaluate((name) => {
      const channel = new BroadcastChannel(name);
      const heard: unknown[] = [];
      Object.assign(globalThis, { heard });
      channel.addEventListener("message", ({ data }) => heard.push(data));
      const message = [`?code=stolen&state=${name.split(":")[1]}`] as const;
      channel.postMessage(...message);
    }, `toolwire-login:${state}`);
    await logInWithin(opened);
    await untilShown(page, "hello alice");
    expectSame(await stranger.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard), []);
    expectNone(
      "stolen codes",
      idp.tokenRequests().flatMap(({ body }) => (body.get("code") === "stolen" ? ["stolen"] : [])),
    );
  });
}
