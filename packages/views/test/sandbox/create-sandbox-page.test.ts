import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createSandboxPage } from "@toolwire/views/sandbox";

const HOST = "https://app.example.com";

/** Runs the script of a sandbox page in a window that is made of the least that it needs. */
function run(location: { readonly origin: string }, isFramed = true) {
  const { html } = createSandboxPage({ hosts: [HOST] });
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(html) ?? [];
  const sent: unknown[] = [];
  const body = { textContent: "" };
  const parent = { postMessage: (message: unknown, target: string) => sent.push([message, target]) };
  const window = { addEventListener: () => undefined } as { parent?: unknown };
  window.parent = isFramed ? parent : window;
  runInNewContext(script, { window, location, document: { body }, performance });
  return { sent, body };
}

describe("a sandbox page", () => {
  it("MUST say that it is ready, to its hosts only", () => {
    expect(run({ origin: "https://sandbox.example.org" }).sent).toEqual([
      [{ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, HOST],
    ]);
  });

  it("MUST have another origin than its host", () => {
    expect(() => run({ origin: HOST })).toThrow("must not have the origin of its host");
  });

  it("explains itself to people who open it", () => {
    const { body, sent } = run({ origin: "https://sandbox.example.org" }, false);
    expect([body.textContent, sent]).toEqual([expect.stringContaining("inside of the application"), []]);
  });

  it("brings along all that it needs, and may be framed by its hosts only", () => {
    const { html, headers } = createSandboxPage({ hosts: [HOST, "http://localhost:3000"] });
    expect(html.match(/<\/script/g)).toHaveLength(1);
    expect(headers["content-security-policy"]).toBe(`frame-ancestors ${HOST} http://localhost:3000`);
  });

  it.each([[[]], [["https://app.example.com/"]], [["*"]], [["app.example.com"]], [["null"]], [["data:,x"]]])(
    "is refused for the hosts %j",
    (hosts) => {
      expect(() => createSandboxPage({ hosts })).toThrow(/host/);
    },
  );
});
