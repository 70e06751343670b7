import { connect, textOf, type Change, type Client, type InputHandlers, type LogMessageParams } from "@toolwire/client";
import { createServer, prompt, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { createRelay } from "../src/index.ts";
import { createUpstreamServer } from "./fixtures/upstream-server.ts";
import { commandOf, ERAS, overHttp } from "./servers.ts";

const PAIRS = ERAS.flatMap((server) => ERAS.map((caller) => [server, caller] as const));

/** Tries everything that a bridge has to carry. The first client answers questions; the second could not be asked any. */
async function tryEverything(asked: Client, client: Client): Promise<void> {
  expect(textOf(await asked.callTool("who", { room: "7" }))).toBe("Ada is in 7.");

  const progress: number[] = [];
  const logs: LogMessageParams[] = [];
  await client.callTool(
    "work",
    {},
    { onProgress: (report) => progress.push(report.progress), onLog: (log) => logs.push(log) },
  );
  expect(progress).toEqual([1, 2]);
  expect(logs).toMatchObject([{ level: "info", data: { step: 1 }, logger: "worker" }]);

  const stop = new AbortController();
  const waiting = client.callTool(
    "wait",
    {},
    { signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) },
  );
  await expect(waiting).rejects.toThrow("enough");

  const changes: Change[] = [];
  await client.subscribe({ tools: true, uris: ["notes://a%20b"] }, (change) => changes.push(change));
  await client.callTool("change", { id: "a b", text: "second" });
  await client.callTool("grow", { name: "grown" });
  await eventually(() => {
    const kinds = new Set(changes.map((change) => (change.kind === "resource" ? change.uri : change.kind)));
    expect([...kinds].toSorted()).toEqual(["notes://a%20b", "tools"]);
  });
  await eventually(async () => {
    const { tools } = await client.listTools({ fresh: true });
    expect(tools.map(({ name }) => name)).toContain("grown");
  });
  expect(textOf(await client.callTool("grown"))).toBe("Hello.");
  expect(textOf(await client.readResource("notes://a%20b"))).toBe("second");

  const { completion } = await client.complete({ type: "ref/prompt", name: "plan" }, { name: "city", value: "O" });
  expect(completion.values).toEqual(["Oslo"]);
  expect(textOf(await client.getPrompt("plan", { city: "Oslo" }))).toBe("Plan a day in Oslo, any mood.");
}

const ANSWERS: InputHandlers = { elicitation: () => ({ action: "accept", content: { name: "Ada" } }) };

describe.each(PAIRS)("a bridge from a server of the %s era to a caller of the %s era", (era, caller) => {
  test("carries everything from stdio to HTTP", async () => {
    const target = commandOf("fixtures/stdio-upstream.ts", era);
    const relay = createRelay({
      upstreams: { local: { view: () => ({ connect: (options) => connect(target, options) }) } },
      server: (parts) => createServer({ name: "bridge", version: "1.0.0", ...parts }),
    });
    const serving = await serveHttp(relay.server, { port: 0 });
    const asked = await connect(serving.url, { era: caller, ...ANSWERS });
    const client = await connect(serving.url, { era: caller });
    onTestFinished(async () => {
      await Promise.all([asked.close(), client.close()]);
      await serving.close();
      await relay.close();
    });
    await expect(tryEverything(asked, client)).resolves.toBeUndefined();
  });

  test("carries everything from HTTP to stdio", async () => {
    const url = await overHttp(createUpstreamServer(era));
    const command = commandOf("fixtures/bridge.ts", url);
    const [asked, client] = await Promise.all([
      connect(command, { era: caller, ...ANSWERS }),
      connect(command, { era: caller }),
    ]);
    onTestFinished(async () => void (await Promise.all([asked.close(), client.close()])));
    await expect(tryEverything(asked, client)).resolves.toBeUndefined();
  });
});

test("what a server offers beside its own definitions is served with them, and does not replace them", async () => {
  const url = await overHttp(
    createServer({
      name: "remote",
      version: "1.0.0",
      tools: {
        shared: tool({ description: "remote", run: () => "remote" }),
        further: tool({ description: "remote", run: () => "remote" }),
      },
    }),
  );
  const events: string[] = [];
  const relay = createRelay({
    upstreams: { remote: { view: () => ({ connect: (options) => connect(url, { ...options }) }) } },
    server: (parts) =>
      createServer({
        name: "both",
        version: "1.0.0",
        ...parts,
        tools: { shared: tool({ description: "own", run: () => "own" }) },
        prompts: { own: prompt({ get: () => "own" }) },
      }),
    report: ({ upstream, message }) => events.push(`${upstream}: ${message}`),
  });
  await using client = await connect(await overHttp(relay.server));
  onTestFinished(() => relay.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["shared", "further"]);
  expect(textOf(await client.callTool("shared"))).toBe("own");
  expect(textOf(await client.callTool("further"))).toBe("remote");
  expect(events.join()).toContain('remote: "shared" is not offered');
  expect(relay.upstreams[0]?.status()).toMatchObject({ state: "connected", tools: 1 });
});
