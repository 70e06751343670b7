import { expect, test } from "vitest";
import { createGateway } from "../../src/create-gateway.ts";
import type { GatewayEvent } from "../../src/gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { messagesOf } from "./problems-of.ts";

const TOOL = { description: "d", request: { method: "GET", url: "http://127.0.0.1/{a}" } } as const;

/** Starts a gateway with a token for its admin API, and returns what its operator is told. */
async function eventsOf(token: string, env: Record<string, string>, secret: string): Promise<readonly GatewayEvent[]> {
  const events: GatewayEvent[] = [];
  const storage = openMemoryStorage();
  await storage.secrets.set("token", secret);
  const gateway = await createGateway(
    { version: 1, admin: { token }, servers: {} },
    { port: 0, adminPort: 0, env, storage, onEvent: (event) => events.push(event) },
  );
  await gateway.close();
  return events;
}

test.each([
  ["${env:T}", "abc", "unused"],
  ["${secret:token}", "unused", "abc"],
])(
  "an admin token that can be guessed is told once at the start, wherever it comes from: %s",
  async (token, T, secret) => {
    const events = await eventsOf(token, { T }, secret);
    expect(events).toEqual([
      {
        level: "warning",
        message: expect.stringMatching(/admin\.token: This token can be guessed: .*16 char/) as string,
      },
    ]);
  },
);

test("a good admin token is not spoken of", async () => {
  const good = "q7Rk2pVx9LmZ4tYb";
  expect(await eventsOf("${env:T}", { T: good }, "unused")).toEqual([]);
  expect(await eventsOf("${secret:token}", {}, good)).toEqual([]);
});

test("a program that makes a gateway gets the errors that check finds", async () => {
  const config = { version: 1, servers: { s: { tools: { t: TOOL, u: { ...TOOL, credential: "k" } } } } } as const;
  const starting = createGateway(config, { port: 0, adminPort: 0, storage: openMemoryStorage() });
  const message = await starting.then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
  const fatal = messagesOf(config).filter((line) => !line.includes("public addresses"));
  expect(fatal).toHaveLength(3);
  expect(message.split("\n").slice(1)).toEqual(
    expect.arrayContaining(fatal.map((line) => line.replace("error: ", "- "))),
  );
});

test("an address that is refused does not keep a gateway from starting, and its operator is told", async () => {
  const events: GatewayEvent[] = [];
  const input = { type: "object", properties: { a: {} } } as const;
  const gateway = await createGateway(
    { version: 1, admin: false, servers: { s: { tools: { t: { ...TOOL, input } } } } },
    { port: 0, storage: openMemoryStorage(), onEvent: (event) => events.push(event) },
  );
  await gateway.close();
  expect(events.map(({ message }) => message)).toEqual([
    expect.stringContaining("servers.s.tools.t.request.url: The gateway calls public addresses only"),
  ]);
});
