/** Views of upstreams, behind a gateway. */
import { connect, textOf } from "@toolwire/client";
import { isForModel, views } from "@toolwire/client/views";
import { createServer, tool } from "@toolwire/server";
import { view, views as serverViews } from "@toolwire/server/views";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../src/create-gateway.ts";
import { ERAS, overHttp } from "./hosting.ts";

const HTML = "<!doctype html><title>Chart</title>";

test("a gateway relays views, keeps tools for views from others, and finds none of them in a search", async () => {
  const url = await overHttp(
    createServer({
      name: "sales",
      version: "1",
      extensions: [serverViews()],
      tools: {
        sales: tool({ description: "Sales", view: view({ html: HTML, prefersBorder: true }), run: () => "7" }),
        refresh: tool({ description: "Reads sales again", visibility: ["app"], run: () => "fresh" }),
      },
    }),
  );
  const gateway = await createGateway({
    version: 1,
    listen: { port: 0 },
    admin: false,
    analytics: { store: "memory" },
    network: { allow: ["127.0.0.1"] },
    servers: {
      all: { upstreams: { one: { url, prefix: "one" } } },
      found: { mode: "search", upstreams: { one: { url } } },
    },
  });
  onTestFinished(() => gateway.close());
  for (const era of ERAS) {
    const apps = views();
    await using client = await connect(`${gateway.url}/mcp/all`, { extensions: [apps], era, memory: false });
    const { tools } = await client.listTools();
    expect(tools.filter(isForModel).map(({ name }) => name)).toEqual(["one_sales"]);
    const shown = await client.use(apps).read(tools.find(({ name }) => name === "one_sales")!);
    expect(shown).toEqual({ uri: "ui://one/views/sales", html: HTML, meta: { prefersBorder: true }, refused: [] });
    expect(await client.use(apps).callTool("one_refresh", {})).toMatchObject({ content: [{ text: "fresh" }] });

    await using other = await connect(`${gateway.url}/mcp/all`, { era, memory: false });
    expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(["one_sales"]);
    await expect(other.callTool("one_refresh")).rejects.toThrow("one_refresh");
  }
  await using model = await connect(`${gateway.url}/mcp/found`, { memory: false });
  expect((await model.listTools()).tools).toHaveLength(3);
  const found = textOf(await model.callTool("search_tools", { query: "sales" }));
  expect(found).toContain('"sales"');
  expect(found).not.toContain("refresh");
});
