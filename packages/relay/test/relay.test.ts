import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { textOf, type Client, type ConnectOptions, type LogMessageParams, type Progress } from "@toolwire/client";
import type { Era } from "@toolwire/protocol";
import { createServer, RpcError, tool } from "@toolwire/server";
import { createNodeHandler } from "@toolwire/server/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { createUpstreamServer, revisionsOf, runs } from "./fixtures/upstream-server.ts";
import { host, type UpstreamConfig } from "./hosting.ts";
import { commandOf, ERAS, overHttp, overWebSocket } from "./servers.ts";

type Kind = "stdio" | "http" | "websocket";

async function upstreamOf(kind: Kind, era: Era): Promise<UpstreamConfig> {
  if (kind === "stdio") return commandOf("fixtures/stdio-upstream.ts", era);
  const server = createUpstreamServer(era);
  return { url: await (kind === "http" ? overHttp(server) : overWebSocket(server)) };
}

/** A client that answers everything. */
const ANSWERS: ConnectOptions = {
  elicitation: {
    form: () => ({ action: "accept", content: { city: "Oslo" } }),
    url: () => ({ action: "accept" }),
  },
  sampling: ({ messages: [message] }) => ({
    role: "assistant",
    model: "poet",
    content: { type: "text", text: `Ode to ${textOf(message!)}` },
  }),
  roots: [{ uri: "file:///work", name: "Work" }],
};

async function parsed(client: Client, name: string): Promise<Record<string, unknown>> {
  return JSON.parse(textOf(await client.callTool(name))) as Record<string, unknown>;
}

const CASES = (["stdio", "http", "websocket"] as const).flatMap((kind) => ERAS.map((era) => [kind, era] as const));

describe.each(CASES)("an upstream over %s of the %s era", (kind, era) => {
  test("is relayed whole, to callers of both eras", async () => {
    const { connect, upstreams } = await host({ one: await upstreamOf(kind, era) });
    for (const caller of ERAS) {
      const client = await connect({ era: caller });
      const about = `${caller} caller`;

      const { tools } = await client.listTools();
      const echo = tools.find(({ name }) => name === "echo");
      expect(echo, about).toMatchObject({
        title: "Echo",
        description: "Says what it was given",
        annotations: { readOnlyHint: true },
        _meta: { "com.example/kept": true },
      });

      const _meta = { "com.example/key": { deep: [1] } };
      const echoed = await client.callTool("echo", { text: "hi", more: [1, null] }, { _meta });
      const { args, meta } = JSON.parse(textOf(echoed)) as { args: unknown; meta: Record<string, unknown> };
      expect(args, about).toEqual({ text: "hi", more: [1, null] });
      expect(meta, about).toMatchObject(_meta);
      expect(echoed._meta, about).toMatchObject({ "com.example/result": 1 });

      await expect(client.callTool("fail"), about).resolves.toMatchObject({
        content: [{ type: "text", text: "It is closed." }],
        isError: true,
      });
      await expect(client.callTool("measure"), about).resolves.toMatchObject({ structuredContent: { count: 7 } });

      const progress: Progress[] = [];
      const logs: LogMessageParams[] = [];
      const done = await client.callTool(
        "work",
        {},
        {
          onProgress: (report) => progress.push(report),
          onLog: (log) => logs.push(log),
        },
      );
      expect(textOf(done), about).toBe("Done.");
      expect(
        progress.map((report) => report.progress),
        about,
      ).toEqual([1, 2]);
      expect(logs, about).toMatchObject([{ level: "info", data: { step: 1 }, logger: "worker" }]);

      const prompts = await client.listPrompts();
      expect(prompts.prompts, about).toMatchObject([
        { name: "plan", arguments: [{ name: "city", required: true }, { name: "mood" }] },
      ]);
      expect(textOf(await client.getPrompt("plan", { city: "Oslo" })), about).toBe("Plan a day in Oslo, any mood.");
      const completed = await client.complete({ type: "ref/prompt", name: "plan" }, { name: "city", value: "O" });
      expect(completed.completion.values, about).toEqual(["Oslo"]);

      const { resources } = await client.listResources();
      expect(
        resources.map(({ uri, name }) => [uri, name]),
        about,
      ).toEqual([
        ["docs://readme", "readme"],
        ["docs://r%C3%A9sum%C3%A9", "resume"],
        ["notes://a%20b", "Note a b"],
      ]);
      expect(resources[0]?.title, about).toBe("Readme");
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates, about).toMatchObject([{ uriTemplate: "notes://{id}", description: "Notes" }]);
      expect(textOf(await client.readResource("notes://a%20b")), about).toBe("first");
      expect(textOf(await client.readResource("docs://r%C3%A9sum%C3%A9")), about).toBe("Curriculum");
      await expect(client.readResource("notes://none"), about).rejects.toMatchObject({ message: "Resource not found" });
      await expect(client.readResource("elsewhere://x"), about).rejects.toMatchObject({
        message: "Resource not found",
      });
      const id = await client.complete({ type: "ref/resource", uri: "notes://{id}" }, { name: "id", value: "a" });
      expect(id.completion.values, about).toEqual(["a b"]);
    }
    expect(upstreams[0]?.status()).toMatchObject({
      state: "connected",
      serverInfo: { name: "upstream", version: "1.2.3" },
      connections: 1,
      problems: [],
    });
  });

  test("can ask callers of both eras everything", async () => {
    const { connect } = await host({ one: await upstreamOf(kind, era) });
    for (const caller of ERAS) {
      runs["book"] = 0;
      const client = await connect({ era: caller, ...ANSWERS });
      await expect(parsed(client, "book"), `${caller} caller`).resolves.toMatchObject({
        city: "Oslo",
        roots: ["file:///work"],
        page: "accept",
        said: ["Ode to Oslo"],
      });
    }
  });

  test("learns what its caller can answer, and no more", async () => {
    const { connect } = await host({ one: await upstreamOf(kind, era) });
    for (const caller of ERAS) {
      const silent = await connect({ era: caller, capabilities: { experimental: { "com.example/x": {} } } });
      await expect(parsed(silent, "caller"), `${caller} caller`).resolves.toMatchObject({ capabilities: {} });
      const answering = await connect({ era: caller, roots: [], elicitation: () => ({ action: "decline" }) });
      const { capabilities } = await parsed(answering, "caller");
      expect(Object.keys(capabilities as object).toSorted(), `${caller} caller`).toEqual(["elicitation", "roots"]);
      expect(capabilities, `${caller} caller`).toMatchObject({ elicitation: { form: {} } });
    }
  });
});

test("a modern upstream goes on where it has asked, and does nothing twice for a modern caller", async () => {
  const { connect } = await host({ one: { url: await overHttp(createUpstreamServer("modern")) } });
  const client = await connect({ era: "modern", ...ANSWERS });
  runs["book"] = 0;
  // One run for each round of questions, and the last: as many as without a gateway.
  await expect(parsed(client, "book")).resolves.toMatchObject({ id: 1 });
  expect(runs["book"]).toBe(4);
});

test("a caller that cannot answer gets the error of the protocol, and the upstream is not left waiting", async () => {
  for (const era of ERAS) {
    const { connect } = await host({ one: { url: await overHttp(createUpstreamServer(era)) } });
    const client = await connect({ era: "modern" });
    await expect(client.callTool("who", { room: "7" })).rejects.toMatchObject({ code: -32_021 });
  }
});

test("a legacy upstream that refuses a handshake once is asked again by the next call", async () => {
  const refusals = { left: 1 };
  const server = createServer({
    name: "busy",
    version: "1.0.0",
    revisions: revisionsOf("legacy"),
    tools: { hello: tool({ description: "Says hello", run: () => "Hello." }) },
    middleware: [
      (call, next) => {
        // The connection of calls that can be asked something is the one that declares it.
        const { capabilities } = (call.params ?? {}) as { readonly capabilities?: { readonly elicitation?: object } };
        if (call.method !== "initialize" || capabilities?.elicitation === undefined) return next();
        refusals.left -= 1;
        if (refusals.left < 0) return next();
        throw new RpcError(-32_000, "Busy: try again later.");
      },
    ],
  });
  const { connect } = await host({ one: { url: await overHttp(server) } });
  const silent = await connect();
  expect(textOf(await silent.callTool("hello"))).toBe("Hello.");
  // Lists are refused first, so that one more is left for the call.
  refusals.left = 2;
  const client = await connect({ elicitation: () => ({ action: "decline" }) });
  await expect(client.callTool("hello")).rejects.toMatchObject({ message: "Busy: try again later." });
  expect(textOf(await client.callTool("hello"))).toBe("Hello.");
});

test("a server that speaks the HTTP+SSE pair of 2024-11-05 alone is an upstream, too", async () => {
  const older = createServer({
    name: "older",
    version: "1.0.0",
    revisions: ["2024-11-05"],
    tools: { hello: tool({ description: "Says hello", run: () => "Hello." }) },
  });
  const handler = createNodeHandler(older, { path: "/elsewhere", legacy: { sse: { streamPath: "/mcp" } } });
  const listener = createHttpServer(handler);
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await handler.close();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const { connect, upstreams } = await host({ one: { url: `http://127.0.0.1:${port}/mcp` } });
  const client = await connect();
  expect(textOf(await client.callTool("hello"))).toBe("Hello.");
  expect(upstreams[0]?.status()).toMatchObject({ revision: "2024-11-05" });
});
