/** Views of upstreams, as callers of both eras see them. */
import { connect, textOf, type Tool } from "@toolwire/client";
import { isForModel, views } from "@toolwire/client/views";
import { createServer, resource, tool, type Server } from "@toolwire/server";
import { onlyForHosts, view, views as serverViews } from "@toolwire/server/views";
import { describe, expect, onTestFinished, test } from "vitest";
import { host } from "./hosting.ts";
import { ERAS, overHttp } from "./servers.ts";

const HTML = "<!doctype html><title>Chart</title>";
const MIME = "text/html;profile=mcp-app";

function salesServer(): Server {
  const apps = serverViews();
  return createServer({
    name: "sales",
    version: "1",
    onDiagnostic: () => undefined,
    extensions: [apps],
    // It serves views to those who declare that they show them: so does the relay.
    middleware: [onlyForHosts(apps)],
    tools: {
      sales: tool({
        view: view({ html: HTML, uri: "ui://sales/chart", csp: { connectDomains: ["https://api.example.com"] } }),
        run: () => "7",
      }),
      refresh: tool({
        visibility: ["app"],
        run: (_, { clientCapabilities }) => JSON.stringify(clientCapabilities.extensions),
      }),
      plain: tool({ run: () => "plain" }),
    },
  });
}

const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);

describe.each(ERAS)("to callers of the %s era", (era) => {
  test("a view is passed on as its server wrote it", async () => {
    const { url } = await host({ one: { url: await overHttp(salesServer()), isHttp: true } });
    const apps = views();
    const client = await connect(url, { extensions: [apps], era });
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools[0]?._meta).toEqual({ ui: { resourceUri: "ui://sales/chart" }, "ui/resourceUri": "ui://sales/chart" });
    expect(await client.use(apps).read(tools[0]!)).toEqual({
      uri: "ui://sales/chart",
      html: HTML,
      meta: { csp: { connectDomains: ["https://api.example.com"] } },
      refused: [],
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([["ui://sales/chart", MIME]]);
    expect(textOf((await client.use(apps).callTool("refresh", {})) as never)).toContain(MIME);
  });

  test("with a prefix, URIs of views stay those of views, and tools say what their names begin with", async () => {
    const url = await overHttp(salesServer());
    const hosting = await host({
      one: { url, isHttp: true, prefix: "one" },
      two: { url, isHttp: true, prefix: "two" },
    });
    const apps = views();
    const client = await connect(hosting.url, { extensions: [apps], era });
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(namesOf(tools.filter(isForModel))).toEqual(["one_sales", "one_plain", "two_sales", "two_plain"]);
    const shown = tools.find(({ name }) => name === "two_sales")!;
    expect(shown._meta).toEqual({
      ui: { resourceUri: "ui://two/sales/chart" },
      "ui/resourceUri": "ui://two/sales/chart",
      "toolwire/toolPrefix": "two_",
    });
    expect(await client.use(apps).read(shown)).toMatchObject({ uri: "ui://two/sales/chart", html: HTML });
    expect(await client.use(apps).findTool("two_refresh")).toMatchObject({ name: "two_refresh" });
    await expect(client.readResource("ui://three/sales/chart")).rejects.toThrow(/not found/i);
  });

  test("a caller that shows no views sees no tools that are for views only, and cannot call them", async () => {
    const hosting = await host({ one: { url: await overHttp(salesServer()), isHttp: true } });
    const client = await hosting.connect({ era });
    expect(namesOf((await client.listTools()).tools)).toEqual(["sales", "plain"]);
    await expect(client.callTool("refresh")).rejects.toThrow("refresh");
    expect(textOf(await client.callTool("sales"))).toBe("7");
    // One that can be asked something has connections of its own.
    const asked = await hosting.connect({ era, elicitation: { form: () => ({ action: "decline" }) } });
    expect(namesOf((await asked.listTools()).tools)).toEqual(["sales", "plain"]);
    await expect(asked.callTool("refresh")).rejects.toThrow("refresh");
  });
});

test("a view is read although its server does not list it", async () => {
  const server = createServer({
    name: "quiet",
    version: "1",
    tools: { show: tool({ _meta: { ui: { resourceUri: "ui://quiet/view" } }, run: () => "" }) },
    resources: { view: resource({ uri: "ui://quiet/view", mimeType: MIME, read: () => HTML }) },
    middleware: [
      async (call, next) => {
        if (call.method === "resources/list") call.showOnly(() => false);
        return next();
      },
    ],
  });
  const { url } = await host({ quiet: { url: await overHttp(server), isHttp: true } });
  const apps = views();
  const client = await connect(url, { extensions: [apps] });
  onTestFinished(() => client.close());
  expect((await client.listResources()).resources).toEqual([]);
  const { tools } = await client.listTools();
  expect(await client.use(apps).read(tools[0]!)).toMatchObject({ html: HTML });
});
