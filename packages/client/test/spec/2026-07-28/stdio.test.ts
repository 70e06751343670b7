/** basic/transports/stdio of 2026-07-28, with servers that run as processes of their own. */
import { connect, type Change, type Client, type ClientOptions, type ClientDiagnostic } from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedProcess } from "../../transports/stdio/scripted-process.ts";
import { withResolvers } from "../../with-resolvers.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true }, resources: {} } };

/** A modern server; `answer` serves its tool calls, `listen` its subscriptions. Every call returns the lines it has read. */
async function started(answer: string, options: ClientOptions = {}): Promise<Client> {
  const script = `(request, lines) => {
    const { id, method, params } = request;
    const write = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify(message)) + "\\n");
    const announce = (subscription, method, params) => write({
      jsonrpc: "2.0",
      method,
      params: { ...params, _meta: { "io.modelcontextprotocol/subscriptionId": subscription } },
    });
    if (method === "server/discover") return ${JSON.stringify(DISCOVERY)};
    (${answer})(request, write, announce);
    return method === "tools/call" ? { content: lines.map((text) => ({ type: "text", text })) } : undefined;
  }`;
  const client = await connect(scriptedProcess(script), { memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The messages that the server has read so far. */
async function linesOf(client: Client, tool = "lines"): Promise<{ id?: number; method?: string; params?: object }[]> {
  const { content } = await client.callTool(tool);
  return content.map((block) => JSON.parse((block as { text: string }).text) as object);
}

describe("sending", () => {
  test("the client MUST NOT write responses, whatever the server sends: requests, the same again, broken ones, batches", async () => {
    const forbidden = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: "2", method: "roots/list" },
      { jsonrpc: "1.0", id: 3, method: "ping" },
      { jsonrpc: "2.0", id: 4, method: 5 },
      [{ jsonrpc: "2.0", id: 6, method: "ping" }],
      [{ jsonrpc: "2.0", method: "notifications/example" }],
    ];
    const diagnostics: ClientDiagnostic[] = [];
    const client = await started(
      `({ params }, write) => { if (params.name === "provoke") ${JSON.stringify(forbidden)}.forEach(write); }`,
      { roots: [], onDiagnostic: (event) => diagnostics.push(event) },
    );
    await client.callTool("provoke");
    const lines = await linesOf(client);
    expect(lines.map(({ method }) => method)).toEqual(["server/discover", "tools/call", "tools/call"]);
    expect(diagnostics).toHaveLength(forbidden.length);
    expect(new Set(diagnostics.map(({ level }) => level))).toEqual(new Set(["warning"]));
  });

  test("the client MUST NOT answer notifications, whatever is in them", async () => {
    const notifications = [
      { jsonrpc: "2.0", method: "notifications/example" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: {} } },
      { jsonrpc: "2.0", method: "ping" },
    ];
    const client = await started(
      `({ params }, write) => { if (params.name === "provoke") ${JSON.stringify(notifications)}.forEach(write); }`,
    );
    await client.callTool("provoke");
    expect(await linesOf(client)).toHaveLength(3);
  });
});

describe("receiving", () => {
  const LISTEN = `
    if (method === "subscriptions/listen") {
      announce(id, "notifications/subscriptions/acknowledged", { notifications: params.notifications });
    }`;

  test("notifications MUST be matched to their subscription by its id: all of them share the channel", async () => {
    const client = await started(`({ id, method, params }, write, announce) => {
      ${LISTEN}
      if (params.name === "announce") {
        announce(params.arguments.to, "notifications/tools/list_changed");
        announce(String(params.arguments.to), "notifications/tools/list_changed");
        announce(12345, "notifications/tools/list_changed");
        write({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      }
    }`);
    const heard: string[] = [];
    await client.subscribe({ tools: true }, () => heard.push("first"));
    await client.subscribe({ tools: true }, () => heard.push("second"));
    const [first, second] = (await linesOf(client)).filter(({ method }) => method === "subscriptions/listen");
    await client.callTool("announce", { to: second?.id });
    expect(heard).toEqual(["second"]);
    await client.callTool("announce", { to: first?.id });
    expect(heard).toEqual(["second", "first"]);
  });

  test("when a server that ended is started again, the client MUST send subscriptions/listen again", async () => {
    const client = await started(
      `({ id, method, params }, write, announce) => {
        ${LISTEN}
        if (params.name === "exit") process.exit(3);
      }`,
      { reconnect: { delay: 10 } },
    );
    const resumed = withResolvers<Change>();
    const subscription = await client.subscribe({ tools: true, uris: ["a://b"] }, resumed.resolve);
    const asked = (await linesOf(client)).find(({ method }) => method === "subscriptions/listen");
    await expect(client.callTool("exit")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expect(await resumed.promise).toEqual({ kind: "tools", resumed: true });
    const askedAgain = (await linesOf(client)).find(({ method }) => method === "subscriptions/listen");
    expect(askedAgain?.params).toEqual(asked?.params);
    subscription.close();
  });
});

test("a subscription is cancelled by notifications/cancelled that names its request", async () => {
  const client = await started(`({ id, method, params }, write, announce) => {
    if (method === "subscriptions/listen") {
      announce(id, "notifications/subscriptions/acknowledged", { notifications: params.notifications });
    }
  }`);
  const subscription = await client.subscribe({ tools: true }, () => {});
  subscription.close();
  const lines = await linesOf(client);
  const { id } = lines.find(({ method }) => method === "subscriptions/listen") ?? {};
  expect(lines.find(({ method }) => method === "notifications/cancelled")?.params).toMatchObject({ requestId: id });
});
