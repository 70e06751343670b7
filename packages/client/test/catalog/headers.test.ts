import { connect, type ClientOptions, type ClientDiagnostic } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { exchangeServer, type ExchangeScript } from "../exchange-server.ts";
import { modernServer } from "../scripted-server.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const tool = (name: string, properties: object) => ({ name, inputSchema: { type: "object", properties } });
const REGION = { region: { type: "string", "x-mcp-header": "Region" }, query: { type: "string" } };

async function connected(script: ExchangeScript, options: ClientOptions = {}) {
  const server = exchangeServer({ "server/discover": () => DISCOVERY, ...script });
  return { server, client: await connect(server, { onDiagnostic: () => {}, ...options }) };
}

describe("arguments that headers repeat", () => {
  test("are mirrored once the tool has been listed", async () => {
    const { server, client } = await connected({
      "tools/list": () => ({ tools: [tool("sql", REGION)] }),
      "tools/call": () => ({ content: [] }),
    });
    await client.listTools();
    await client.callTool("sql", { region: "us-west1", query: "SELECT 1" });
    await client.callTool("sql", { region: null, query: "SELECT 1" });
    await client.callTool("sql", { region: "Zürich" });
    expect(server.requests("tools/call").map(({ headers }) => lowerCased(headers))).toEqual([
      { "mcp-param-region": "us-west1" },
      {},
      { "mcp-param-region": "=?base64?WsO8cmljaA==?=" },
    ]);
    await client.close();
  });

  test("are sent again after a look at the tools if the server misses them", async () => {
    const { server, client } = await connected({
      "tools/list": () => ({ tools: [tool("sql", REGION)] }),
      "tools/call": ({ headers }) => {
        if (headers === undefined) throw new RpcError(-32020, "Header mismatch: Mcp-Param-Region is missing");
        return { content: [] };
      },
    });
    await expect(client.callTool("sql", { region: "eu" })).resolves.toEqual({ content: [] });
    expect(server.exchanged.map(({ request }) => request.method)).toEqual([
      "server/discover",
      "tools/call",
      "tools/list",
      "tools/call",
    ]);
    await client.close();
  });

  test("are not sent again and again if the server refuses them although they are right", async () => {
    const { server, client } = await connected({
      "tools/list": () => ({ tools: [tool("sql", REGION)] }),
      "tools/call": () => {
        throw new RpcError(-32020, "Header mismatch");
      },
    });
    await expect(client.callTool("sql", { region: "eu" })).rejects.toMatchObject({ code: -32020 });
    expect(server.requests("tools/call")).toHaveLength(2);
    await expect(client.callTool("sql", { region: "eu" })).rejects.toMatchObject({ code: -32020 });
    expect(server.requests("tools/call")).toHaveLength(3);
    await client.close();
  });
});

describe("a tool whose annotations break the rules", () => {
  const broken = [
    tool("empty", { a: { type: "string", "x-mcp-header": "" } }),
    tool("space", { a: { type: "string", "x-mcp-header": "My Header" } }),
    tool("on-number", { a: { type: "number", "x-mcp-header": "A" } }),
    tool("on-object", { a: { type: "object", "x-mcp-header": "A" } }),
    tool("twice", { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } }),
    tool("unreachable", { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }),
  ];
  const listed = { "tools/list": () => ({ tools: [...broken, tool("fine", REGION)] }) };

  test("is hidden over HTTP, with a warning that names it and says why; the others stay", async () => {
    const diagnostics: ClientDiagnostic[] = [];
    const { client } = await connected(listed, { onDiagnostic: (event) => diagnostics.push(event) });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["fine"]);
    await client.listTools();
    expect(diagnostics.map(({ level }) => level)).toEqual(broken.map(() => "warning"));
    for (const [index, { name }] of broken.entries()) expect(diagnostics[index]?.message).toContain(`"${name}"`);
    await client.close();
  });

  test("is no trouble where there are no headers", async () => {
    const server = modernServer({ "tools/list": { tools: broken } });
    const client = await connect(server.channel);
    expect((await client.listTools()).tools).toHaveLength(broken.length);
    await client.close();
  });
});

test("a tool without an input schema is hidden everywhere", async () => {
  const diagnostics: ClientDiagnostic[] = [];
  const server = modernServer({ "tools/list": { tools: [{ name: "bare" }, tool("fine", {})] } });
  const client = await connect(server.channel, { onDiagnostic: (event) => diagnostics.push(event) });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["fine"]);
  expect(diagnostics[0]?.message).toContain('"bare"');
  await client.close();
});

test("a tool that is nested too deeply to be looked through hides no other", async () => {
  const deep = JSON.parse(`${'{"properties":{"a":'.repeat(50_000)}{}${"}}".repeat(50_000)}`) as object;
  const { server, client } = await connected({
    "tools/list": () => ({ tools: [{ name: "deep", inputSchema: { type: "object", ...deep } }, tool("sql", REGION)] }),
    "tools/call": () => ({ content: [] }),
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("sql");
  await client.callTool("sql", { region: "eu" });
  expect(lowerCased(server.requests("tools/call")[0]?.headers)).toEqual({ "mcp-param-region": "eu" });
  await client.close();
});

function lowerCased(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}
