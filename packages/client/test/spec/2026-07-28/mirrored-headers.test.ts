/** basic/transports/streamable-http of 2026-07-28, "Custom Headers from Tool Parameters", over real ports. */
import { connect, type ConnectOptions, type ClientDiagnostic } from "@toolwire/client";
import { expect, onTestFinished, test } from "vitest";
import { error, httpPeer, result, type HttpAnswer, type HttpCall } from "../../http-peer.ts";

const PROPERTIES = {
  region: { type: "string", "x-mcp-header": "Region" },
  limit: { type: "integer", "x-mcp-header": "Limit" },
  dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
  where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
  query: { type: "string" },
};
const tool = (name: string, properties: object) => ({ name, inputSchema: { type: "object", properties } });

/** A client of a server with these tools, which takes every call unless told otherwise. */
async function connected(
  tools: readonly object[],
  options: ConnectOptions = {},
  answerCall: (call: HttpCall) => HttpAnswer = (call) => result(call, { content: [] }),
) {
  const peer = await httpPeer((call) => {
    const { method } = call.body ?? {};
    if (method === "tools/call") return answerCall(call);
    const discovery = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    return result(call, method === "tools/list" ? { tools } : discovery);
  });
  onTestFinished(() => peer.close());
  const client = await connect(peer.url, { memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return { peer, client };
}

test.each<[string, Record<string, unknown>, object]>([
  ["plain values as they are", { region: "us-west1", query: "q" }, { "mcp-param-region": "us-west1" }],
  ["numbers and booleans as text", { limit: -7, dry: true }, { "mcp-param-limit": "-7", "mcp-param-dry-run": "true" }],
  ["nested ones by their path", { where: { city: "Oslo" } }, { "mcp-param-city": "Oslo" }],
  ["what is not ASCII as Base64", { region: "世界" }, { "mcp-param-region": "=?base64?5LiW55WM?=" }],
  ["space around as Base64", { region: " padded " }, { "mcp-param-region": "=?base64?IHBhZGRlZCA=?=" }],
  ["lines as Base64", { region: "line1\nline2" }, { "mcp-param-region": "=?base64?bGluZTEKbGluZTI=?=" }],
  [
    "what looks like Base64 as Base64",
    { region: "=?base64?literal?=" },
    { "mcp-param-region": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" },
  ],
  ["nothing for null", { region: null }, {}],
  ["nothing for what is absent", {}, {}],
])("the client MUST mirror what is annotated, and encode it: %s", async (_, args, headers) => {
  const { peer, client } = await connected([tool("sql", PROPERTIES)]);
  await client.listTools();
  await client.callTool("sql", args);
  const sent = Object.entries(peer.calls.at(-1)?.headers ?? {}).filter(([name]) => name.startsWith("mcp-param-"));
  expect(Object.fromEntries(sent)).toEqual(headers);
});

test("integers beyond the safe range MUST NOT be mirrored: such a call is not sent", async () => {
  const { peer, client } = await connected([tool("sql", PROPERTIES)]);
  await client.listTools();
  await expect(client.callTool("sql", { limit: 2 ** 53 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(peer.methods()).not.toContain("tools/call");
});

test("tools that break the rules MUST be left out of the list, and SHOULD be warned of by name and reason", async () => {
  const diagnostics: ClientDiagnostic[] = [];
  const broken = [
    tool("empty", { a: { type: "string", "x-mcp-header": "" } }),
    tool("no-token", { a: { type: "string", "x-mcp-header": "My Header" } }),
    tool("line", { a: { type: "string", "x-mcp-header": "A\r\nB" } }),
    tool("number", { a: { type: "number", "x-mcp-header": "A" } }),
    tool("twice", { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } }),
    tool("in-items", { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }),
    tool("in-choice", { a: { anyOf: [{ type: "string", "x-mcp-header": "A" }] } }),
  ];
  const onDiagnostic = (event: ClientDiagnostic): void => void diagnostics.push(event);
  const { client } = await connected([...broken, tool("fine", PROPERTIES)], { onDiagnostic });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["fine"]);
  expect(diagnostics.map(({ level, message }) => [level, /"(.+?)" .+: \S/.exec(message)?.[1]])).toEqual(
    broken.map(({ name }) => ["warning", name]),
  );
});

test("on HeaderMismatch the client SHOULD list the tools, and send the request again with the right headers", async () => {
  const { peer, client } = await connected([tool("sql", PROPERTIES)], {}, (call) =>
    call.headers["mcp-param-region"] === "eu" ? result(call, { content: [] }) : error(call, 400, -32020),
  );
  await expect(client.callTool("sql", { region: "eu" })).resolves.toEqual({ content: [] });
  expect(peer.methods()).toEqual(["server/discover", "tools/call", "tools/list", "tools/call"]);
  expect(peer.calls[3]?.body?.id).not.toBe(peer.calls[1]?.body?.id);
});
