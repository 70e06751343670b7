import { connect } from "@toolwire/client";
import { createServer, rateLimit, resource, tool, type Server } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import type { PostgresServer } from "@toolwire/engines";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { joinByPg, joinByPostgresJs, type Node, start } from "./postgres.ts";

let postgres: PostgresServer;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  postgres = await start();
});

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

afterAll(() => postgres.close());

/** A server of two nodes, and a `fetch` that sends one request to the one and the next to the other, as a balancer does. */
async function serveTwice(limit: number): Promise<{
  readonly servers: readonly Server[];
  readonly nodes: readonly Node[];
  readonly url: string;
  readonly balance: typeof fetch;
}> {
  const servers: Server[] = [];
  const nodes: Node[] = [];
  const urls: string[] = [];
  for (const join of [joinByPg, joinByPostgresJs]) {
    const cluster = await join(postgres.url);
    ending.push(() => cluster.end());
    const server = createServer({
      name: "two nodes",
      version: "1.0.0",
      middleware: [rateLimit({ limit, caller: () => "everybody", onStoreDown: "refuse" })],
      tools: {
        where: tool({ description: "Says which node it is", run: () => cluster.node }),
        ask: tool({
          description: "Asks for a name",
          run: async (_input, ctx) => {
            const { action } = await ctx.tryElicit("name", {
              message: "What is your name?",
              schema: { type: "object", properties: { name: { type: "string" } } },
            });
            return action;
          },
        }),
      },
      resources: { news: resource({ uri: "news://latest", read: () => "Nothing." }) },
    });
    const listener = await serveHttp(server, { port: 0, cluster });
    ending.push(() => listener.close());
    servers.push(server);
    nodes.push(cluster);
    urls.push(listener.url);
  }
  let turn = 0;
  const balance: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    turn += 1;
    return fetch(new URL(pathname, urls[turn % 2]), init);
  };
  return { servers, nodes, url: urls[0] ?? "", balance };
}

describe.each(["modern", "legacy"] as const)("Two nodes that meet in Postgres, with a %s client", (era) => {
  it("serve calls, questions and news of changes as one server does", async () => {
    const { servers, nodes, url, balance } = await serveTwice(1000);
    const client = await connect(new URL(url), {
      era,
      http: { fetch: balance },
      elicitation: () => ({ action: "decline" }),
    });
    ending.push(() => client.close());
    const places = new Set<string>();
    for (let call = 0; call < 6; call++) {
      const { content } = await client.callTool("where");
      places.add(JSON.stringify(content));
    }
    expect(places.size).toBe(nodes.length);
    for (let call = 0; call < 3; call++) {
      expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "decline" }] });
    }
    const heard: unknown[] = [];
    const subscription = await client.subscribe({ uris: ["news://latest"] }, (change) => heard.push(change));
    for (const server of servers) {
      heard.length = 0;
      server.resources.updated("news://latest");
      await vi.waitFor(() => expect(heard).not.toEqual([]), 20_000);
    }
    subscription.close();
  });
});

describe("Two nodes that meet in Postgres", () => {
  it("count the calls of a caller together", async () => {
    const { url, balance } = await serveTwice(5);
    const client = await connect(new URL(url), { era: "modern", http: { fetch: balance } });
    ending.push(() => client.close());
    const served: unknown[] = [];
    for (let call = 0; call < 12; call++) {
      const isServed = await client.callTool("where").then(
        ({ isError }) => isError !== true,
        () => false,
      );
      if (isServed) served.push(call);
    }
    // A node that waits for Postgres for too long refuses the call.
    expect(served.length).toBeLessThanOrEqual(5);
    expect(served.length).toBeGreaterThan(0);
  });
});
