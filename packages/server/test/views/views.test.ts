/** Tools with views, as clients of both eras see them. */
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createServer, resource, tool, type ServerOptions } from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { onlyForHosts, showsViews, view, views } from "../../src/views/index.ts";
import { modern } from "../bindings/http/client.ts";
import { LegacyClient, ModernClient, type Json } from "../wire-client.ts";

const ID = "io.modelcontextprotocol/ui";
const HOST = { capabilities: { extensions: { [ID]: { mimeTypes: ["text/html;profile=mcp-app"] } } } };
const HTML = "<!doctype html><title>Sales</title>";

const chart = view({
  html: HTML,
  uri: "ui://sales/chart",
  title: "Sales",
  csp: { connectDomains: ["https://api.example.com"] },
  permissions: ["clipboardWrite"],
  prefersBorder: true,
});

function define(options: Partial<ServerOptions> = {}, apps = views()) {
  return createServer({
    name: "sales",
    version: "1",
    onDiagnostic: () => undefined,
    ...options,
    extensions: [apps],
    tools: {
      sales: tool({
        view: chart,
        _meta: { "example.com/kept": 1 },
        output: z.object({ sum: z.number() }),
        run: () => ({ sum: 7 }),
      }),
      refresh: tool({ view: chart, visibility: ["app"], run: () => "fresh" }),
      quick: tool({ view: view({ html: () => HTML }), run: () => "quick" }),
      plain: tool({ run: () => "plain" }),
    },
  });
}

const clients: readonly [string, (server: ReturnType<typeof define>, isHost: boolean) => Promise<Json>][] = [
  ["2026-07-28", async (server, isHost) => new ModernClient(server, isHost ? HOST : {})],
  ["2025-11-25", (server, isHost) => LegacyClient.open(server, isHost ? HOST : {})],
  ["2025-06-18", (server, isHost) => LegacyClient.open(server, { ...(isHost && HOST), revision: "2025-06-18" })],
];

describe.each(clients)("in %s", (_revision, open) => {
  test("a tool names its view in `_meta.ui`, and by the flat key for older hosts", async () => {
    const { tools } = await (await open(define(), true)).request("tools/list");
    expect(tools.map(({ name, _meta }: Json) => [name, _meta])).toEqual([
      [
        "sales",
        { "example.com/kept": 1, ui: { resourceUri: "ui://sales/chart" }, "ui/resourceUri": "ui://sales/chart" },
      ],
      [
        "refresh",
        { ui: { resourceUri: "ui://sales/chart", visibility: ["app"] }, "ui/resourceUri": "ui://sales/chart" },
      ],
      ["quick", { ui: { resourceUri: "ui://views/quick" }, "ui/resourceUri": "ui://views/quick" }],
      ["plain", undefined],
    ]);
  });

  test("a view is read with its type, and says in `_meta.ui` what it needs", async () => {
    const client = await open(define(), true);
    const { contents } = await client.request("resources/read", { uri: "ui://sales/chart" });
    expect(contents).toEqual([
      {
        uri: "ui://sales/chart",
        mimeType: "text/html;profile=mcp-app",
        text: HTML,
        _meta: {
          ui: {
            csp: { connectDomains: ["https://api.example.com"] },
            permissions: { clipboardWrite: {} },
            prefersBorder: true,
          },
        },
      },
    ]);
  });

  test("a view that declares nothing has no `_meta`, so that hosts allow it nothing", async () => {
    const { contents } = await (await open(define(), true)).request("resources/read", { uri: "ui://views/quick" });
    expect(contents).toEqual([{ uri: "ui://views/quick", mimeType: "text/html;profile=mcp-app", text: HTML }]);
  });

  test("views are listed once each as resources, and not as a template", async () => {
    const client = await open(define(), true);
    const { resources } = await client.request("resources/list");
    expect(resources.map(({ uri, mimeType, title }: Json) => [uri, mimeType, title])).toEqual([
      ["ui://sales/chart", "text/html;profile=mcp-app", "Sales"],
      ["ui://views/quick", "text/html;profile=mcp-app", undefined],
    ]);
    expect((await client.request("resources/templates/list")).resourceTemplates).toEqual([]);
  });

  test("a view that there is not is not found", async () => {
    const client = await open(define(), true);
    for (const uri of ["ui://sales/other", "ui://__proto__", "ui://"]) {
      await expect(client.request("resources/read", { uri })).rejects.toThrow(/not found/i);
    }
  });

  test("a tool with a view returns meaningful content, for hosts that show text only", async () => {
    const result = await (await open(define(), false)).request("tools/call", { name: "sales", arguments: {} });
    expect(result.content).toEqual([{ type: "text", text: '{"sum":7}' }]);
  });

  test("with `onlyForHosts`, clients without the capability get a server without views", async () => {
    const apps = views();
    const server = define({ middleware: [onlyForHosts(apps)], cache: { tools: { scope: "public" } } }, apps);
    const other = await open(server, false);
    const listed = await other.request("tools/list");
    expect(listed.tools.map(({ name, _meta }: Json) => [name, _meta])).toEqual([
      ["sales", { "example.com/kept": 1 }],
      ["quick", undefined],
      ["plain", undefined],
    ]);
    expect((await other.request("resources/list")).resources).toEqual([]);
    await expect(other.request("tools/call", { name: "refresh", arguments: {} })).rejects.toThrow("refresh");

    const host = await open(server, true);
    const shown = await host.request("tools/list");
    expect(shown.tools).toHaveLength(4);
    expect(shown.tools[0]._meta.ui).toEqual({ resourceUri: "ui://sales/chart" });
    expect((await host.request("resources/list")).resources).toHaveLength(2);
    expect((await host.request("tools/call", { name: "refresh", arguments: {} })).content[0].text).toBe("fresh");
    // No cache may give one the list of the other.
    for (const { cacheScope } of [listed, shown]) expect([undefined, "private"]).toContain(cacheScope);
  });
});

test("the extension is declared, and views are read over HTTP", async () => {
  await using served = await serveHttp(define(), { port: 0 });
  const ask = async (method: string, params: Record<string, unknown> = {}): Promise<Json> => {
    const response = await fetch(served.url, modern(method, params));
    return ((await response.json()) as Json).result;
  };
  expect((await ask("server/discover")).capabilities.extensions).toEqual({ [ID]: {} });
  const { contents } = await ask("resources/read", { uri: "ui://sales/chart" });
  expect(contents[0].text).toBe(HTML);
});

test.each(["<!DOCTYPE HTML>", "\n <!-- a -->\n<!-- b --> <!doctype html SYSTEM 'about:legacy-compat'>"])(
  "a document may begin with comments: %s",
  (html) => {
    expect(view({ html })).toEqual({ html });
  },
);

test("views of one server are unknown to another", async () => {
  const other = createServer({ name: "other", version: "1", extensions: [views()] });
  const client = new ModernClient(other, HOST);
  onTestFinished(() => client.disconnect());
  await expect(client.request("resources/read", { uri: "ui://sales/chart" })).rejects.toThrow(/not found/i);
});

test("a document that turns out to be none is an error of the server, which does not reach clients", async () => {
  const diagnostics: unknown[] = [];
  const broken = createServer({
    name: "x",
    version: "1",
    extensions: [views()],
    onDiagnostic: (event) => void diagnostics.push(event),
    tools: { show: tool({ view: view({ html: () => "<p>secret" }), run: () => "" }) },
  });
  const client = new ModernClient(broken, HOST);
  const refused: Json = await client
    .request("resources/read", { uri: "ui://views/show" })
    .catch((error: unknown) => error);
  expect(refused.message).not.toContain("secret");
  expect(diagnostics).toHaveLength(1);
});

describe("a view is refused when it is defined", () => {
  test.each([
    [{ html: "<p>Hello" }, "<!doctype html>"],
    [{ html: "<!-- <!doctype html>" }, "<!doctype html>"],
    [{ html: "" }, "<!doctype html>"],
    [{ html: 7 }, "viewFile"],
    [{ html: HTML, uri: "https://example.com" }, "ui://"],
    [{ html: HTML, uri: "ui://a b" }, "ui://"],
    [{ html: HTML, csp: { connectDomains: ["*"] } }, "connectDomains"],
    [{ html: HTML, csp: { resourceDomains: ["https://a.example; script-src *"] } }, "resourceDomains"],
    [{ html: HTML, csp: { scriptDomains: [] } }, "scriptDomains"],
    [{ html: HTML, permissions: ["usb"] }, "usb"],
    [{ html: HTML, height: 3 }, "height"],
  ])("if it is %j", (options, message) => {
    expect(() => view(options as never)).toThrow(message);
  });

  test("if another has its URI", () => {
    const first = tool({ view: view({ html: HTML, uri: "ui://a/b" }), run: () => "" });
    const second = tool({ view: view({ html: HTML, uri: "ui://a/b" }), run: () => "" });
    expect(() => createServer({ name: "x", version: "1", extensions: [views()], tools: { first, second } })).toThrow(
      "ui://a/b already",
    );
  });

  test.each([[[]], ["app"], [["everybody"]]])("if nobody may call its tool: %j", (visibility) => {
    const tools = { show: tool({ visibility: visibility as never, run: () => "" }) };
    expect(() => createServer({ name: "x", version: "1", extensions: [views()], tools })).toThrow("visibility");
  });

  test("without the extension, since nobody would see it", () => {
    const tools = { show: tool({ view: chart, run: () => "" }) };
    expect(() => createServer({ name: "x", version: "1", tools })).toThrow("view");
  });
});

test("resources of the server itself may have URIs of views, and come first", async () => {
  const own = resource({ uri: "ui://sales/own", read: () => "own" });
  const client = new ModernClient(define({ resources: { own } }), HOST);
  const { contents } = await client.request("resources/read", { uri: "ui://sales/own" });
  expect(contents[0].text).toBe("own");
});

test("a tool that is removed and added again may change who sees it", async () => {
  const apps = views();
  const server = define({ middleware: [onlyForHosts(apps)] }, apps);
  server.tools.remove("refresh");
  server.tools.add("refresh", tool({ run: () => "for all" }));
  const client = new ModernClient(server);
  expect((await client.callTool("refresh")).content[0].text).toBe("for all");
});

test.each([
  [{}, false],
  [{ extensions: { [ID]: {} } }, false],
  [{ extensions: { [ID]: { mimeTypes: "text/html;profile=mcp-app" } } }, false],
  [{ extensions: { [ID]: { mimeTypes: ["text/html"] } } }, false],
  [HOST.capabilities, true],
])("a client that declares %j shows views: %s", (capabilities, expected) => {
  expect(showsViews(capabilities as never)).toBe(expected);
});

test("`onlyForHosts` takes what `views()` returned", () => {
  expect(() => onlyForHosts({ id: ID })).toThrow("views()");
});
