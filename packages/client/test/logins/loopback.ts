/** Logins of a program that opens a browser, and listens for its end on this machine. */
import { connect, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { loopbackLogin } from "@toolwire/client/auth/node";
import type { Browser, Response } from "playwright-core";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { historyOf, inScene, logInAs, type Scene, type SceneOptions } from "./scene.ts";

/** A program that connects, and whose page is the tab of the scene. */
async function startProgram(
  scene: Scene,
  revision: "2026-07-28" | "2025-11-25" = "2026-07-28",
  returned: (code: string) => Promise<void> = async () => {},
) {
  let open: (url: URL) => void = () => {};
  const opened = new Promise<URL>((resolve) => {
    open = resolve;
  });
  const login = loopbackLogin({ open: (url) => open(url), show: () => {}, paste: false });
  const auth = oauth({
    client: { name: "program" },
    login: {
      async start(wish) {
        const attempt = await login.start(wish);
        const authorize: typeof attempt.authorize = async (...asked) => {
          const response = (await attempt.authorize(...asked)) as URLSearchParams;
          await returned(response.get("code") ?? "");
          return response;
        };
        return { redirectUri: attempt.redirectUri, authorize, close: () => attempt.close?.() };
      },
    },
  });
  const connecting = connect(scene.server.url, { auth, revision });
  connecting.then(
    (client) => scene.cleanups.push(() => client.close()),
    () => {},
  );
  const url = await Promise.race([opened, connecting.then(() => undefined)]);
  if (url === undefined) throw new Error("nobody had to log in");
  return { auth, connecting, url, redirectUri: url.searchParams.get("redirect_uri") ?? "" };
}

/** Runs all checks of logins of programs. */
export async function checkLoopbackLogins(run: Run, browser: Browser): Promise<void> {
  console.log("logins of a program that listens");
  const check = (name: string, options: SceneOptions, work: (scene: Scene) => Promise<void>): Promise<void> =>
    run.check(name, () => inScene(browser, options, work));

  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    await check(`a user logs in, and the code is in no address of the browser (${revision})`, {}, async (scene) => {
      const { page, idp } = scene;
      const { connecting, url, redirectUri } = await startProgram(scene, revision);
      await page.goto(url.href);
      await logInAs(page, "alice");
      await page.waitForURL(`${redirectUri}/done`);
      await page.getByRole("heading", { name: "Back to your program" }).waitFor();
      const client = await connecting;
      expectSame(textOf(await client.callTool("whoami")), "alice");
      expectNone(
        "addresses with a code",
        (await historyOf(page)).filter((address) => address.includes("code=")),
      );
      // The button of the browser leads to the authorization server, and nothing is redeemed a second time.
      await page.goBack().catch(() => null);
      expectSame(page.url().startsWith(redirectUri), false);
      expectSame(idp.tokenRequests("authorization_code").length, 1);
      expectSame(textOf(await client.callTool("whoami")), "alice");
    });
  }

  await check(
    "the pages of the listener run no scripts, and are not framed, cached or named to others",
    {},
    async (scene) => {
      const { page, context } = scene;
      const { connecting, url, redirectUri } = await startProgram(scene);
      const stray = await context.newPage();
      const answers: Response[] = [];
      for (const each of [page, stray]) {
        each.on("response", (answer) => {
          if (answer.url().startsWith(redirectUri)) answers.push(answer);
        });
      }
      await stray.goto(`${redirectUri}?code=evil&state=%3Cscript%3E`);
      await expectNoScripts(stray);
      await page.goto(url.href);
      await logInAs(page, "alice");
      await page.waitForURL(`${redirectUri}/done`);
      await expectNoScripts(page);
      await connecting;
      expectSame(
        answers.map((answer) => answer.status()),
        [400, 303, 200],
      );
      for (const answer of answers) {
        const headers = await answer.allHeaders();
        expectSame(headers["content-security-policy"]?.includes("default-src 'none'; frame-ancestors 'none'"), true);
        expectSame([headers["cache-control"], headers["referrer-policy"]], ["no-store", "no-referrer"]);
      }
    },
  );

  await check("stray pages and scripts of other sites end no login", {}, async (scene) => {
    const { page, context } = scene;
    const { connecting, url, redirectUri } = await startProgram(scene);
    const stray = await context.newPage();
    for (const query of ["", "?code=evil", "?code=evil&state=evil", "?error=access_denied&state=evil"]) {
      await stray.goto(`${redirectUri}${query}`);
      await stray.getByRole("heading", { name: "Nothing to do here" }).waitFor();
    }
    await stray.goto(scene.idp.issuer);
    await stray.evaluate(async (target) => {
      await fetch(`${target}?code=evil&state=evil`, { mode: "no-cors" }).catch(() => undefined);
      await fetch(target, { mode: "no-cors", method: "POST", body: "code=evil" }).catch(() => undefined);
    }, redirectUri);
    await page.goto(url.href);
    await logInAs(page, "alice");
    await page.waitForURL(`${redirectUri}/done`);
    expectSame(textOf(await (await connecting).callTool("whoami")), "alice");
  });

  await check("a code that has ended fails the login, and the next login succeeds", {}, async (scene) => {
    const { page, idp } = scene;
    const first = await startProgram(scene, "2026-07-28", (code) => idp.expireCode(code));
    await page.goto(first.url.href);
    await logInAs(page, "alice");
    const failure: unknown = await first.connecting.catch((error: unknown) => error);
    expectSame((failure as { code?: unknown }).code, "LOGIN_FAILED");
    const second = await startProgram(scene);
    await page.goto(second.url.href);
    await page.locator('button[type="submit"]').click();
    await page.waitForURL(`${second.redirectUri}/done`);
    expectSame(textOf(await (await second.connecting).callTool("whoami")), "alice");
  });

  await check("a user who cancels at the authorization server has given the login up", {}, async (scene) => {
    const { page } = scene;
    const { connecting, url, redirectUri } = await startProgram(scene);
    await page.goto(url.href);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.waitForURL(`${redirectUri}/done`);
    const failure: unknown = await connecting.catch((error: unknown) => error);
    expectSame((failure as { code?: unknown }).code, "LOGIN_CANCELLED");
  });
}

/** A script that is put into a page of the listener does not run. */
async function expectNoScripts(page: Scene["page"]): Promise<void> {
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.ran = true";
    document.body.append(script);
    return Object.hasOwn(globalThis, "ran");
  });
  expectSame(ran, false);
}
