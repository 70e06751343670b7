import { createServer as createHttpServer } from "node:http";
import { connect, textOf, type Change, type Client } from "@toolwire/client";
import { createServer, prompt, resource, tool, type Server } from "@toolwire/server";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { createUpstreamServer, revisionsOf } from "./fixtures/upstream-server.ts";
import { host } from "./hosting.ts";
import { commandOf, ERAS, overHttp } from "./servers.ts";

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools({ fresh: true })).tools.map(({ name }) => name);
}

function sayingServer(...names: string[]): Server {
  return createServer({
    name: "saying",
    version: "1.0.0",
    tools: Object.fromEntries(names.map((name) => [name, tool({ description: name, run: () => name })])),
  });
}

test("changes of an upstream's lists and resources reach subscribers of both eras", async () => {
  for (const era of ERAS) {
    const upstream = createUpstreamServer(era);
    const { connect: join } = await host({ one: { url: await overHttp(upstream), prefix: "up_one" } });
    const clients = await Promise.all(ERAS.map((each) => join({ era: each })));
    const heard = clients.map((): Change[] => []);
    const uri = "up-one+notes://a%20b";
    for (const [index, client] of clients.entries()) {
      await client.subscribe({ tools: true, prompts: true, resources: true, uris: [uri] }, (change) => {
        heard[index]!.push(change);
      });
    }
    await clients[0]!.callTool("up_one_change", { id: "a b", text: "second" });
    upstream.tools.add("late", tool({ description: "Came late", run: () => "Hello." }));
    upstream.prompts.add("late", prompt({ get: () => "Hello." }));
    upstream.resources.add("late", resource({ uri: "docs://late", read: () => "Hello." }));
    for (const changes of heard) {
      await eventually(() => {
        const kinds = new Set(changes.map((change) => (change.kind === "resource" ? change.uri : change.kind)));
        expect([...kinds].toSorted()).toEqual(["prompts", "resources", "tools", uri]);
      });
    }
    await expect(namesOf(clients[0]!)).resolves.toContain("up_one_late");
    expect(textOf(await clients[1]!.readResource("up-one+docs://late"))).toBe("Hello.");
    expect(textOf(await clients[0]!.readResource(uri))).toBe("second");
  }
});

test("a prefix is in front of names and URIs, also of links in results", async () => {
  const { connect: join } = await host({ one: { url: await overHttp(createUpstreamServer("modern")), prefix: "my" } });
  const client = await join();
  await expect(namesOf(client)).resolves.toContain("my_echo");
  const { content } = await client.callTool("my_link");
  expect(content).toMatchObject([{ type: "resource_link", uri: "my+notes://a%20b" }]);
  const { contents } = await client.readResource("my+notes://a%20b");
  expect(contents).toMatchObject([{ uri: "my+notes://a%20b", text: "first" }]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["my+notes://{id}"]);
  const ref = { type: "ref/resource", uri: "my+notes://{id}" } as const;
  expect((await client.complete(ref, { name: "id", value: "a" })).completion.values).toEqual(["a b"]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["my_plan"]);
});

test("an upstream that fails is left out of lists, its tools fail, and others go on", async () => {
  const failing = createHttpServer((_, response) => response.writeHead(503).end());
  const serving = await new Promise<number>((resolve) => {
    failing.listen(0, "127.0.0.1", () => resolve((failing.address() as { port: number }).port));
  });
  onTestFinished(() => void failing.close());
  const {
    connect: join,
    upstreams,
    events,
  } = await host({
    broken: { url: `http://127.0.0.1:${serving}/mcp` },
    missing: { command: "/nowhere/to/be/found" },
    fine: { url: await overHttp(sayingServer("hello")) },
  });
  const client = await join();
  await expect(namesOf(client)).resolves.toEqual(["hello"]);
  expect(textOf(await client.callTool("hello"))).toBe("hello");
  expect(upstreams.map((upstream) => upstream.status().state)).toEqual(["failed", "failed", "connected"]);
  expect(upstreams[1]?.status().failure?.message).toContain("/nowhere/to/be/found");
  expect(events.filter(({ level }) => level === "warning").map(({ upstream }) => upstream)).toEqual(
    expect.arrayContaining(["broken", "missing"]) as string[],
  );
});

test("tools of an upstream that is gone answer with a tool error, and are back when it is", async () => {
  const server = sayingServer("hello");
  const { serveHttp } = await import("@toolwire/server/http");
  const first = await serveHttp(server, { port: 0 });
  const { connect: join, upstreams } = await host({ one: { url: first.url } });
  const client = await join();
  expect(textOf(await client.callTool("hello"))).toBe("hello");
  await first.close();
  await upstreams[0]!.restart();
  await expect(client.callTool("hello")).resolves.toMatchObject({
    isError: true,
    content: [{ text: "Error: Upstream one could not be reached" }],
  });
  await expect(namesOf(client)).resolves.toEqual([]);
  const again = await serveHttp(server, { port: first.port });
  onTestFinished(() => again.close());
  await eventually(async () => expect(await namesOf(client)).toEqual(["hello"]));
  expect(textOf(await client.callTool("hello"))).toBe("hello");
  expect(upstreams[0]!.status()).toMatchObject({ state: "connected" });
});

test("clients hear that the tools of an upstream are back, though nobody has asked", async () => {
  const server = sayingServer("hello");
  const { serveHttp } = await import("@toolwire/server/http");
  const first = await serveHttp(server, { port: 0 });
  const { connect: join, upstreams } = await host({ one: { url: first.url } });
  const client = await join();
  const changes: Change[] = [];
  await namesOf(client);
  await client.subscribe({ tools: true }, (change) => changes.push(change));
  await first.close();
  await upstreams[0]!.restart();
  await expect(client.callTool("hello")).resolves.toMatchObject({ isError: true });
  await eventually(() => expect(changes.length).toBeGreaterThan(0));
  const heard = changes.length;
  const again = await serveHttp(server, { port: first.port });
  onTestFinished(() => again.close());
  await eventually(() => expect(changes.length).toBeGreaterThan(heard));
});

test("closing does not wait for a server that never answers", async () => {
  const silent = createHttpServer(() => {});
  const port = await new Promise<number>((resolve) => {
    silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port));
  });
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { upstreams } = await host({
    silent: { url: `http://127.0.0.1:${port}/mcp` },
    asleep: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
  });
  const ready = upstreams.map((upstream) => upstream.ready());
  expect(upstreams.map((upstream) => upstream.status().state)).toEqual(["connecting", "connecting"]);
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  await Promise.all(ready);
  expect(upstreams.map((upstream) => upstream.status().connections)).toEqual([0, 0]);
});

test("a process is started with the first use, stopped when it is idle, and started again", async () => {
  const config = { ...commandOf("fixtures/stdio-upstream.ts", "modern"), idleTimeout: 300 };
  const { connect: join, upstreams } = await host({ one: config });
  expect(upstreams[0]!.status()).toMatchObject({ state: "idle", connections: 0 });
  const client = await join();
  const { pid } = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  await eventually(() => expect(upstreams[0]!.status()).toMatchObject({ state: "idle", connections: 0 }));
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  // Its tools are still there.
  await expect(namesOf(client)).resolves.toContain("caller");
  const again = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  expect(again.pid).not.toBe(pid);
});

test("a restart opens a new connection", async () => {
  const { connect: join, upstreams } = await host({ one: commandOf("fixtures/stdio-upstream.ts", "legacy") });
  const client = await join();
  const first = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  await upstreams[0]!.restart();
  const second = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  expect(second.pid).not.toBe(first.pid);
});

test("a closed upstream leaves nothing in its server", async () => {
  const {
    connect: join,
    upstreams,
    server,
  } = await host({ one: { url: await overHttp(createUpstreamServer("modern")) } });
  const client = await join();
  await expect(namesOf(client)).resolves.toContain("echo");
  await upstreams[0]!.close();
  expect(server.tools.names).toEqual([]);
  expect(server.prompts.names).toEqual([]);
  await expect(client.listResources({ fresh: true })).resolves.toMatchObject({ resources: [] });
});

test("results and listings do not depend on the client of the test", async () => {
  // Another client over the same gateway sees the same, straight from the upstream.
  const url = await overHttp(createUpstreamServer("modern"));
  const direct = await connect(url);
  onTestFinished(() => direct.close());
  const { connect: join } = await host({ one: { url } });
  const through = await join();
  const [own, relayed] = await Promise.all([direct.listTools(), through.listTools()]);
  const cleaned = own.tools.map((each) => JSON.parse(JSON.stringify(each).replaceAll("\u200b", "")) as object);
  expect(relayed.tools).toEqual(cleaned);
});

test("a flood of announcements makes callers who can be asked something list no more often than others", async () => {
  let listings = 0;
  const server = createServer({
    name: "flooding",
    version: "1.0.0",
    revisions: revisionsOf("legacy"),
    middleware: [
      (call, next) => {
        if (call.method === "tools/list") listings += 1;
        return next();
      },
    ],
    tools: { hello: tool({ description: "Says hello", run: () => "Hello." }) },
  });
  const { connect: join } = await host({ one: { url: await overHttp(server) } });
  const client = await join({ elicitation: () => ({ action: "decline" }) });
  await expect(namesOf(client)).resolves.toContain("hello");
  const announced = { count: 0 };
  const flood = setInterval(() => {
    announced.count += 1;
    server.tools.add("flicker", tool({ description: "flickers", run: () => "" }));
    server.tools.remove("flicker");
  }, 5);
  onTestFinished(() => clearInterval(flood));
  for (let requests = 0; requests < 50 || announced.count < 100; requests += 1) await namesOf(client);
  // The two lists of the beginning, and those of at most a few refreshes: one a second, then ever more seldom.
  expect(listings).toBeLessThanOrEqual(16);
  clearInterval(flood);
  server.tools.add("last", tool({ description: "last", run: () => "" }));
  await eventually(async () => expect(await namesOf(client)).toContain("last"));
});
