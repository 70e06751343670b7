/** The views of a server, read and checked by a client. */
import { connect, type ClientDiagnostic, type ClientOptions, type Tool } from "@toolwire/client";
import { isForModel, isForViews, viewOf, views } from "@toolwire/client/views";
import { createMemoryChannels } from "@toolwire/protocol";
import { createServer, resource, tool, type ReadReturn, type Server } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { serveHttp } from "@toolwire/server/http";
import { view, views as serverViews } from "@toolwire/server/views";
import { describe, expect, onTestFinished, test } from "vitest";

const HTML = "<!doctype html><title>é</title>";
const MIME = "text/html;profile=mcp-app";

function salesServer(seen: unknown[] = []): Server {
  return createServer({
    name: "sales",
    version: "1",
    onDiagnostic: () => undefined,
    extensions: [serverViews()],
    tools: {
      sales: tool({
        view: view({ html: HTML, csp: { connectDomains: ["https://api.example.com"] } }),
        run: (_, { clientCapabilities }) => {
          seen.push(clientCapabilities.extensions);
          return "7";
        },
      }),
      refresh: tool({ visibility: ["app"], run: () => "fresh" }),
      forget: tool({ visibility: ["model"], run: () => "gone" }),
      plain: tool({ run: () => "plain" }),
    },
  });
}

/** A server that serves anything under the URI of a view. */
function otherServer(read: ReadReturn): Server {
  return createServer({
    name: "other",
    version: "1",
    onDiagnostic: () => undefined,
    tools: { show: tool({ _meta: { ui: { resourceUri: "ui://other/view" } }, run: () => "" }) },
    resources: { view: resource({ uri: "ui://other/view", read: () => read }) },
  });
}

async function open(server: Server, options: Partial<ClientOptions> = {}, limits: { maxSize?: number } = {}) {
  const [near, far] = createMemoryChannels();
  serveChannel(server, far);
  const apps = views(limits);
  const client = await connect(near, { ...options, extensions: [apps] });
  onTestFinished(() => client.close());
  const tools: Tool[] = [];
  for await (const each of client.allTools()) tools.push(each);
  return { client, apps: client.use(apps), find: (name: string) => tools.find((each) => each.name === name)!, tools };
}

describe.each([["2026-07-28"], ["2025-11-25"], ["2025-06-18"]] as const)("in %s", (revision) => {
  const options = { revision } as const;

  test("the client declares which types of views it shows", async () => {
    const seen: unknown[] = [];
    const { client } = await open(salesServer(seen), options);
    await client.callTool("sales");
    expect(seen).toEqual([{ "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } }]);
  });

  test("tools for views only are not for the model, and others not for views", async () => {
    const { tools } = await open(salesServer(), options);
    expect(tools.filter(isForModel).map(({ name }) => name)).toEqual(["sales", "forget", "plain"]);
    expect(tools.filter(isForViews).map(({ name }) => name)).toEqual(["sales", "refresh", "plain"]);
  });

  test("a view is read with what it declares", async () => {
    const { apps, find } = await open(salesServer(), options);
    expect(await apps.read(find("sales"))).toEqual({
      uri: "ui://views/sales",
      html: HTML,
      meta: { csp: { connectDomains: ["https://api.example.com"] } },
      refused: [],
    });
    expect(await apps.read(find("plain"))).toBeUndefined();
  });

  test("a call of a view to a tool without `app` in its visibility is refused, and sends nothing", async () => {
    const { apps } = await open(salesServer(), options);
    await expect(apps.callTool("forget", {})).rejects.toThrow('Views cannot call "forget"');
    await expect(apps.callTool("unknown", {})).rejects.toThrow('Views cannot call "unknown"');
    expect(await apps.findTool("forget")).toBeUndefined();
    expect(await apps.callTool("refresh", {})).toMatchObject({ content: [{ type: "text", text: "fresh" }] });
    expect(await apps.readResource("ui://views/sales")).toMatchObject({ contents: [{ text: HTML }] });
  });
});

test("views are read over HTTP", async () => {
  await using served = await serveHttp(salesServer(), { port: 0 });
  const apps = views();
  await using client = await connect(served.url, { extensions: [apps] });
  const tools = await client.listTools();
  expect(await client.use(apps).read(tools.tools[0]!)).toMatchObject({ html: HTML });
});

test("a view in base64 is text like any other", async () => {
  const blob = new TextEncoder().encode(HTML);
  const { apps, find } = await open(otherServer({ contents: [{ blob, mimeType: MIME }] }));
  expect(await apps.read(find("show"))).toMatchObject({ html: HTML });
});

test.each([
  ["another type", { contents: [{ text: HTML, mimeType: "text/html" }] }, "its type is"],
  ["no type", { contents: [{ text: HTML }] }, "its type is"],
  ["another URI", { contents: [{ uri: "ui://other/else", text: HTML, mimeType: MIME }] }, "no contents of that URI"],
  ["nothing", { contents: [] }, "no contents of that URI"],
  ["too much", { contents: [{ text: HTML + "a".repeat(1000), mimeType: MIME }] }, "more than 1000"],
  ["bytes that are no text", { contents: [{ blob: new Uint8Array([0xff, 0xfe]), mimeType: MIME }] }, "base64"],
])("a view is not shown if the server answers with %s", async (_, read, message) => {
  const { apps, find } = await open(otherServer(read), {}, { maxSize: 1000 });
  await expect(apps.read(find("show"))).rejects.toThrow(message);
});

test("a view does not get origins that no content policy should contain, and the operator is told", async () => {
  const diagnostics: ClientDiagnostic[] = [];
  const _meta = { ui: { csp: { connectDomains: ["*", "https://api.example.com"] } } };
  const server = otherServer({ contents: [{ text: HTML, mimeType: MIME, _meta }] });
  const { apps, find } = await open(server, { onDiagnostic: (event) => void diagnostics.push(event) });
  const read = await apps.read(find("show"));
  expect(read).toMatchObject({ meta: { csp: { connectDomains: ["https://api.example.com"] } }, refused: ['"*"'] });
  expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining('"*"')]);
});

test("only the URI of a view is read, whatever a tool names", () => {
  const listing = { name: "x", inputSchema: { type: "object" } } as const;
  expect(viewOf({ ...listing, _meta: { ui: { resourceUri: "file:///etc/passwd" } } })).toBeUndefined();
  expect(viewOf({ ...listing, _meta: { "ui/resourceUri": "ui://a" } })).toBe("ui://a");
});
