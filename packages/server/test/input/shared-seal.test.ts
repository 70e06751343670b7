/** Questions and cursors of servers on several nodes, without a `stateKey`: any node takes up what another has sealed. */
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Cluster, ClusterError, createMemoryEngine } from "../../src/cluster/index.ts";
import { serveHttp, type ServeHttpOptions } from "../../src/http.ts";
import { createServer, resource, type Server, tool } from "../../src/index.ts";
import { modern, type Seen } from "../bindings/http/client.ts";

function define(stateKey?: string): Server {
  return createServer({
    name: "greeter",
    version: "1",
    pageSize: 1,
    ...(stateKey !== undefined && { stateKey }),
    tools: {
      greet: tool({
        run: async (_args, ctx) => {
          const { name } = await ctx.elicit("who", {
            message: "Who are you?",
            schema: z.object({ name: z.string() }),
          });
          return `Hello, ${name}!`;
        },
      }),
    },
    resources: {
      letters: resource({
        template: "letters://{name}",
        list: () => ["a", "b", "c"].map((name) => ({ uri: `letters://${name}`, name })),
        read: () => "",
      }),
    },
  });
}

async function serve(cluster: Cluster | undefined, stateKey?: string, options: ServeHttpOptions = {}): Promise<string> {
  const { url, close } = await serveHttp(define(stateKey), { port: 0, cluster, ...options });
  onTestFinished(close);
  return url;
}

const META = { meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } } };

async function send(url: string, method: string, params: Record<string, unknown> = {}): Promise<Response> {
  return fetch(url, modern(method, params, META));
}

async function resultOf(response: Response): Promise<Record<string, unknown>> {
  const { result, error } = (await response.json()) as Seen;
  expect(error).toBeUndefined();
  return result ?? {};
}

/** Calls the tool on one node. Returns what answers its question on another. */
async function ask(url: string): Promise<Record<string, unknown>> {
  const { requestState } = await resultOf(await send(url, "tools/call", { name: "greet", arguments: {} }));
  expect(typeof requestState).toBe("string");
  const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
  return { name: "greet", arguments: {}, requestState, inputResponses };
}

/** A node whose keys cannot be read once it is cut off. */
function cuttable(whole: Cluster): { cluster: Cluster; isCutOff: boolean } {
  const node = { isCutOff: false, cluster: whole };
  const check = async <T>(work: () => Promise<T>): Promise<T> => {
    if (node.isCutOff) throw new ClusterError("UNAVAILABLE", "The engine cannot be reached.");
    return work();
  };
  const { keys } = whole;
  node.cluster = {
    ...whole,
    keys: {
      list: () => check(() => keys.list()),
      add: (key, after) => check(() => keys.add(key, after)),
      remove: (id) => check(() => keys.remove(id)),
    },
  };
  return node;
}

describe("a question that one node asks", () => {
  test("is answered at another, without a key in the options", async () => {
    const engine = createMemoryEngine();
    const [here, there] = [await serve(engine.connect()), await serve(engine.connect())];
    expect(await resultOf(await send(there, "tools/call", await ask(here)))).toMatchObject({
      content: [{ text: "Hello, Ada!" }],
    });
  });

  test("is answered at another with the key of the options, which comes first", async () => {
    const engine = createMemoryEngine();
    const key = "k".repeat(32);
    const [here, there] = [await serve(engine.connect(), key), await serve(undefined, key)];
    expect(await resultOf(await send(there, "tools/call", await ask(here)))).toMatchObject({
      content: [{ text: "Hello, Ada!" }],
    });
    expect(await engine.connect().keys.list()).toEqual([]);
  });

  test("gets a 503 at a node that cannot read the key, and its answer later", async () => {
    const engine = createMemoryEngine();
    const node = cuttable(engine.connect());
    const [here, there] = [await serve(engine.connect()), await serve(node.cluster)];
    const answer = await ask(here);
    node.isCutOff = true;
    const refused = await send(there, "tools/call", answer);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await refused.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "This cannot be served at the moment. Nothing was done; try again." },
    });
    node.isCutOff = false;
    expect(await resultOf(await send(there, "tools/call", answer))).toMatchObject({
      content: [{ text: "Hello, Ada!" }],
    });
  });

  test("gets a 503 before it is asked, at a node that has no key and cannot get one", async () => {
    const node = cuttable(createMemoryEngine().connect());
    const url = await serve(node.cluster);
    node.isCutOff = true;
    const refused = await send(url, "tools/call", { name: "greet", arguments: {} });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    const { error } = (await refused.json()) as Seen;
    expect(error).toMatchObject({ code: -32603, message: "This cannot be served at the moment; try again." });
    node.isCutOff = false;
    expect(await ask(url)).toHaveProperty("requestState");
  });

  test("is refused at a server without the cluster", async () => {
    const answer = await ask(await serve(createMemoryEngine().connect()));
    const { error } = (await (await send(await serve(undefined), "tools/call", answer)).json()) as Seen;
    expect(error?.code).toBe(-32602);
  });
});

test("a cursor of one node continues at another", async () => {
  const engine = createMemoryEngine();
  const [here, there] = [await serve(engine.connect()), await serve(engine.connect())];
  const { nextCursor: cursor } = await resultOf(await send(here, "resources/list"));
  expect(await resultOf(await send(there, "resources/list", { cursor: cursor as string }))).toMatchObject({
    resources: [{ uri: "letters://b" }],
  });
});
