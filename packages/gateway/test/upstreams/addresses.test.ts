import type { HttpConnector } from "@toolwire/client";
import { expect, test } from "vitest";
import { createUpstreamServer } from "../../../relay/test/fixtures/upstream-server.ts";
import { host, overHttp, overWebSocket } from "./hosting.ts";

test("connections to servers go through the function that decides on addresses", async () => {
  const server = createUpstreamServer("modern");
  const refused: string[] = [];
  const refuse: HttpConnector = ({ hostname }, callback) => {
    refused.push(hostname);
    callback(new Error("address 127.0.0.1 is not allowed"), null);
  };
  const configs = { http: { url: await overHttp(server) }, socket: { url: await overWebSocket(server) } };
  const { connect, upstreams } = await host(configs, { connect: refuse });
  const client = await connect();
  await expect(client.listTools()).resolves.toMatchObject({ tools: [] });
  expect(refused).toContain("127.0.0.1");
  for (const upstream of upstreams) expect(upstream.status()).toMatchObject({ state: "failed", tools: 0 });
});
