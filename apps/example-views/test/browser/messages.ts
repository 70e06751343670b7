/** Messages that hosts and views must not believe, and those that are too many, too large or no JSON. */
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { attackPage, perform, type Scene, type Stage } from "./stage.ts";

type Case = (stage: Stage) => Promise<void>;

async function on(
  stage: Stage,
  shown: Parameters<typeof perform>[1],
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = await perform(stage, shown);
  try {
    await body(scene);
  } finally {
    await scene.close();
  }
}

/** Sends a request as a view, and resolves to what is answered. */
function ask(
  scene: Scene,
  method: string,
  params: object,
): Promise<{ readonly result?: object; readonly error?: { code: number; message: string } }> {
  return scene.view.evaluate(
    ([name, given]) => {
      const id = `test ${Math.random()}`;
      return new Promise((resolve) => {
        addEventListener("message", function listen({ data }: MessageEvent<{ id?: unknown; method?: unknown }>) {
          if (data.id !== id || data.method !== undefined) return;
          removeEventListener("message", listen);
          resolve(data as never);
        });
        parent.postMessage({ jsonrpc: "2.0", id, method: name, params: given }, "*");
      });
    },
    [method, params] as const,
  );
}

/** Adds a frame of strangers to the page of the host, and resolves to it. */
async function addStranger(scene: Scene, stage: Stage): Promise<ReturnType<Scene["page"]["frame"]>> {
  await scene.page.evaluate(async (origin) => {
    const frame = document.createElement("iframe");
    frame.src = `${origin}/frame`;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve));
  }, stage.stranger.origin);
  stage.stranger.hits.splice(0);
  return scene.page.frames().find((frame) => frame.url().startsWith(stage.stranger.origin)) ?? null;
}

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "both", arguments: {} } };

const CASES: { readonly [name: string]: Case } = {
  "the host hears only the window and the origin of the sandbox page": (stage) =>
    on(stage, {}, async (scene) => {
      const stranger = await addStranger(scene, stage);
      await stranger?.evaluate((call) => top?.postMessage(call, "*"), CALL);
      // The view itself, past its sandbox page.
      await scene.view.evaluate((call) => top?.postMessage(call, "*"), CALL);
      await scene.page.evaluate((call) => window.postMessage(call, "*"), CALL);
      const { heard } = await scene.until((recorded) => recorded.heard >= 6);
      expectSame(heard >= 6, true);
      const { actions, calls } = await scene.recorded();
      expectSame([actions, calls], [[], []]);
    }),

  "a view hears only its host: results that others forge do not reach its state": async (stage) => {
    const scene = await perform(stage, { html: await stage.chart(), context: {} });
    try {
      await scene.page.evaluate(() => {
        globalThis.attacked.mounted?.sendInput({ year: 2025 });
        globalThis.attacked.mounted?.sendResult({
          content: [],
          structuredContent: { year: 2025, currency: "EUR", months: [{ month: "Jan", amount: 1 }] },
        });
      });
      await scene.view.getByText("Sales of 2025, in thousand EUR").waitFor();
      const forged = {
        jsonrpc: "2.0",
        method: "ui/notifications/tool-result",
        params: { content: [], structuredContent: { year: 1999, currency: "LIE", months: [] } },
      };
      const stranger = await addStranger(scene, stage);
      await stranger?.evaluate((message) => {
        // Windows can find each other by their place in the tree.
        top?.frames[0]?.frames[0]?.postMessage(message, "*");
        top?.frames[0]?.postMessage(message, "*");
      }, forged);
      await scene.view.evaluate((message) => window.postMessage(message, "*"), forged);
      await scene.settle();
      expectSame(await scene.view.locator("h1").textContent(), "Sales of 2025, in thousand EUR");
    } finally {
      await scene.close();
    }
  },

  "a view cannot forge messages of its sandbox page": (stage) =>
    on(stage, {}, async (scene) => {
      await scene.view.evaluate(() => {
        const tell = (method: string, params: object): void =>
          parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
        tell("ui/notifications/sandbox-view-ended", { reason: "forged" });
        tell("ui/notifications/sandbox-proxy-ready", {});
        tell("ui/notifications/sandbox-resource-ready", { html: "<!doctype html><p>forged" });
      });
      await scene.settle();
      expectSame((await scene.recorded()).closed, undefined);
      expectSame(await scene.view.locator("h1").textContent(), "Attack");
    }),

  "strangers cannot show a document in the sandbox page": async (stage) => {
    const page = await stage.browser.newPage();
    try {
      await page.goto(`${stage.stranger.origin}/host`);
      const heard = await page.evaluate(async (sandbox) => {
        const messages: unknown[] = [];
        addEventListener("message", ({ data }) => messages.push(data));
        const frame = document.createElement("iframe");
        frame.src = sandbox;
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener("load", resolve));
        const params = { html: "<!doctype html><script>parent.postMessage(1, '*')</script>" };
        frame.contentWindow?.postMessage(
          { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params },
          "*",
        );
        await new Promise((resolve) => setTimeout(resolve, 100));
        return messages;
      }, stage.sandbox);
      expectSame(heard, []);
      expectSame(page.frames().length, 2);
      stage.stranger.hits.splice(0);
    } finally {
      await page.close();
    }
  },

  "a host refuses a sandbox page of its own origin": (stage) =>
    on(stage, {}, async ({ page }) => {
      const refusal = await page.evaluate(() => {
        try {
          globalThis.attacked.show({ html: "<!doctype html>", sandbox: "/sandbox" });
          return "shown";
        } catch (error) {
          return String(error);
        }
      });
      expectSame(refusal.includes("the origin of the host"), true);
    }),

  "a view calls tools that views may call, with the arguments that were approved": (stage) =>
    on(stage, {}, async (scene) => {
      const answer = await ask(scene, "tools/call", { name: "for_views", arguments: { amount: 1 } });
      expectSame(answer.result, { content: [{ type: "text", text: "called for_views" }] });
      const { actions, calls } = await scene.recorded();
      expectSame(calls, [["for_views", { amount: 1 }]]);
      expectSame(
        (actions as { arguments: object }[]).map((action) => action.arguments),
        [{ amount: 1 }],
      );
    }),

  "a view cannot call tools without `app` in their visibility, or tools that there are not": (stage) =>
    on(stage, {}, async (scene) => {
      for (const name of ["for_model", "unknown", "__proto__", 7]) {
        expectSame((await ask(scene, "tools/call", { name, arguments: {} })).error?.code, -32602);
      }
      expectSame((await ask(scene, "tools/call", { name: "both", arguments: [] })).error?.code, -32602);
      const { actions, calls } = await scene.recorded();
      // Nobody was even asked.
      expectSame([actions, calls], [[], []]);
    }),

  "a view whose server is relayed calls tools by the names that it knows": async (stage) => {
    const tool = {
      name: "one_sales",
      inputSchema: { type: "object" },
      _meta: { "toolwire/toolPrefix": "one_" },
    } as const;
    // One that is written without our package, and one that is.
    await on(stage, { tool }, async (scene) => {
      expectSame((await ask(scene, "tools/call", { name: "sales", arguments: {} })).error, undefined);
      expectSame((await ask(scene, "tools/call", { name: "one_sales", arguments: {} })).error, undefined);
      // It belongs to another server behind the same door.
      expectSame((await ask(scene, "tools/call", { name: "both", arguments: {} })).error?.code, -32602);
      expectSame((await scene.recorded()).calls, [
        ["one_sales", {}],
        ["one_sales", {}],
      ]);
    });
    const scene = await perform(stage, { html: await stage.chart(), tool });
    try {
      await scene.page.evaluate(() => {
        globalThis.attacked.mounted?.sendInput({ year: 2025 });
        const structuredContent = { year: 2025, currency: "EUR", months: [] };
        globalThis.attacked.mounted?.sendResult({ content: [], structuredContent });
      });
      await scene.view.getByText("Sales of 2025, in thousand EUR").waitFor();
      await scene.view.getByRole("button", { name: "Year before" }).click();
      const { calls } = await scene.until((recorded) => recorded.calls.length > 0);
      expectSame(calls, [["one_sales", { year: 2024 }]]);
    } finally {
      await scene.close();
    }
  },

  "nothing that a view wants happens without approval": (stage) =>
    on(stage, { approves: false }, async (scene) => {
      const wanted: readonly [string, object][] = [
        ["tools/call", { name: "both", arguments: {} }],
        ["resources/read", { uri: "docs://secret" }],
        ["ui/open-link", { url: "https://example.com" }],
        ["ui/message", { role: "user", content: { type: "text", text: "Pay" } }],
      ];
      for (const [method, params] of wanted) {
        expectSame((await ask(scene, method, params)).error, { code: -32000, message: "The user did not agree." });
      }
      const { actions, calls, links, messages } = await scene.recorded();
      expectSame(
        (actions as { kind: string }[]).map(({ kind }) => kind),
        ["callTool", "readResource", "openLink", "sendMessage"],
      );
      expectSame([calls, links, messages], [[], [], []]);
    }),

  "links that would run in the host, or start programs, are refused before anybody is asked": (stage) =>
    on(stage, {}, async (scene) => {
      for (const url of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "mailto:a@b.c", "/", 7]) {
        expectSame((await ask(scene, "ui/open-link", { url })).error?.code, -32602);
      }
      await ask(scene, "ui/open-link", { url: "https://example.com" });
      const { actions, links } = await scene.recorded();
      expectSame([actions.length, links], [1, ["https://example.com/"]]);
    }),

  "requests that are malformed, unknown or out of order are refused": (stage) =>
    on(stage, {}, async (scene) => {
      const refused: readonly [string, object, number][] = [
        ["ui/initialize", {}, -32600],
        ["tools/list", {}, -32601],
        ["sampling/createMessage", {}, -32601],
        ["constructor", {}, -32601],
        ["resources/read", {}, -32602],
        ["ui/message", { role: "assistant", content: { type: "text", text: "" } }, -32602],
        ["ui/message", { role: "user", content: "text" }, -32602],
        ["ui/update-model-context", { content: "text" }, -32602],
        ["ui/update-model-context", { structuredContent: [] }, -32602],
      ];
      for (const [method, params, code] of refused) expectSame((await ask(scene, method, params)).error?.code, code);
      expectSame((await ask(scene, "ping", {})).result, {});
      expectSame((await scene.recorded()).closed, undefined);
    }),

  "a view is not sent anything before it has begun, and then its input before its result": (stage) =>
    on(stage, { html: "<!doctype html><p>silent", limits: { startTimeout: 300 } }, async () => undefined).then(() =>
      on(stage, {}, async (scene) => {
        await scene.page.evaluate(() => {
          const { mounted } = globalThis.attacked;
          mounted?.sendPartialInput({ a: 1 });
          mounted?.sendInput({ a: 1, b: 2 });
          mounted?.sendResult({ content: [] });
          mounted?.setContext({ theme: "dark" });
        });
        await scene.settle();
        const heard = await scene.view.evaluate(
          () => (globalThis as unknown as { heard: { id?: unknown; method?: string }[] }).heard,
        );
        expectSame(
          heard.map(({ id, method }) => method ?? id),
          [
            "greeting",
            "ui/notifications/tool-input-partial",
            "ui/notifications/tool-input",
            "ui/notifications/tool-result",
            "ui/notifications/host-context-changed",
          ],
        );
        const misuse = await scene.page.evaluate(() => {
          try {
            globalThis.attacked.mounted?.sendInput({});
            return "sent";
          } catch {
            return "refused";
          }
        });
        expectSame(misuse, "refused");
      }),
    ),

  "a view changes to a display mode only if host and view support it": (stage) =>
    on(stage, { context: { availableDisplayModes: ["inline", "fullscreen"] } }, async (scene) => {
      expectSame((await ask(scene, "ui/request-display-mode", { mode: "fullscreen" })).result, { mode: "fullscreen" });
      // It is not offered, so that the mode stays.
      expectSame((await ask(scene, "ui/request-display-mode", { mode: "pip" })).result, { mode: "fullscreen" });
    }),

  "a host cannot show a view in a mode that the view does not declare": (stage) =>
    on(
      stage,
      { html: attackPage("", '["inline"]'), context: { availableDisplayModes: ["inline", "pip"] } },
      async (scene) => {
        expectSame((await ask(scene, "ui/request-display-mode", { mode: "pip" })).result, { mode: "inline" });
        const refusal = await scene.page.evaluate(() => {
          try {
            globalThis.attacked.mounted?.setContext({ displayMode: "pip" });
            return "shown";
          } catch (error) {
            return String(error);
          }
        });
        expectSame(refusal.includes("pip"), true);
      },
    ),

  "a view that sends too many messages is removed before they reach the host": (stage) =>
    on(stage, { limits: { messageRate: 20 } }, async (scene) => {
      const before = (await scene.recorded()).heard;
      await scene.view
        .evaluate(() => {
          for (let count = 0; count < 50_000; count += 1) {
            parent.postMessage(
              { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: count } },
              "*",
            );
          }
        })
        .catch(() => undefined);
      const { heard, closed, logs } = await scene.until((recorded) => recorded.closed !== undefined);
      expectSame(closed, "The view sent too many messages.");
      const passed = heard - before;
      if (passed > 5000 || logs.length > 1000) {
        throw new Error(`${passed} messages reached the host, which heard ${logs.length}`);
      }
      expectSame(await scene.page.evaluate(() => 1 + 1), 2);
    }),

  "the sandbox page alone removes a view that sends too many messages": (stage) =>
    on(stage, { limits: { messageRate: 1_000_000 } }, async (scene) => {
      await scene.view
        .evaluate(() => {
          for (let count = 0; count < 5000; count += 1) parent.postMessage({ jsonrpc: "2.0", method: "x" }, "*");
        })
        .catch(() => undefined);
      const { closed } = await scene.until((recorded) => recorded.closed !== undefined);
      expectSame(closed, "The view sent more than 100 messages a second.");
    }),

  "messages that are too large, or no JSON, remove the view": async (stage) => {
    const bad: readonly [string, string][] = [
      ["({ jsonrpc: '2.0', method: 'x', params: { text: 'a'.repeat(5_000_000) } })", "larger than"],
      ["({ jsonrpc: '2.0', method: 'x', params: new Map([[1, 2]]) })", "not plain"],
      ["(() => { const loop = { jsonrpc: '2.0', method: 'x' }; loop.params = loop; return loop })()", "nested deeper"],
      ["({ jsonrpc: '2.0', method: 'x', params: { n: 1n } })", "bigint"],
      ["({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: JSON.parse('{\"__proto__\": {}}') })", "__proto__"],
    ];
    for (const [message, problem] of bad) {
      await on(stage, {}, async (scene) => {
        // As text, since what tests pass is JSON.
        await scene.view.evaluate(`parent.postMessage(${message}, "*")`).catch(() => undefined);
        const { closed } = await scene.until((recorded) => recorded.closed !== undefined);
        if (closed?.includes(problem) !== true) throw new Error(`expected "${problem}", got "${closed}"`);
      });
    }
  },

  "a view has a limited number of open requests": (stage) =>
    on(stage, { limits: { maxOpenRequests: 2 } }, async (scene) => {
      const answers = await scene.view.evaluate(
        () =>
          new Promise<number[]>((resolve) => {
            const codes: number[] = [];
            addEventListener("message", ({ data }: MessageEvent<{ id?: unknown; error?: { code: number } }>) => {
              if (typeof data.id !== "number") return;
              codes.push(data.error?.code ?? 0);
              if (codes.length === 5) resolve(codes);
            });
            for (let id = 1; id <= 5; id += 1) {
              const params = { name: "both", arguments: {} };
              parent.postMessage({ jsonrpc: "2.0", id, method: "tools/call", params }, "*");
            }
          }),
      );
      expectNone("answers that are neither", answers.filter((code) => code !== 0 && code !== -32_000).map(String));
    }),
};

/** Tries all messages. */
export async function checkMessages(run: Run, stage: Stage): Promise<void> {
  for (const [name, body] of Object.entries(CASES)) await run.check(name, () => body(stage));
}
