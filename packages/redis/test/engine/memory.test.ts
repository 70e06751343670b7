import { createClient } from "redis";
import { expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();
const ROOM = { max: 1_000_000, maxPerClient: 1_000_000 };
const COUNT = 2000;

/** Facts as a server makes them of a client with a name and two capabilities. */
const FACTS = JSON.stringify({
  revision: "2025-06-18",
  clientInfo: { name: "an-example-client", version: "1.0.0" },
  capabilities: { sampling: {}, elicitation: {} },
  principal: "https://login.example.com user-12345",
});

test("a session takes less than 900 bytes of the engine, the first event of a stream less than 1,000, and the next less than 200", async () => {
  const [node, admin] = [await rig.witness(), createClient({ url: rig.server.url })];
  await admin.connect();
  await admin.flushAll();
  const used = async () => Number(/used_memory:(\d+)/.exec(await admin.info("memory"))?.[1]);
  const ids = Array.from({ length: COUNT }, () => crypto.randomUUID());
  // Scripts and buffers are there from now on.
  await node.sessions.create({ id: "first", facts: FACTS, client: "first" }, 600_000, ROOM);
  await node.events.append("first", "p1", [{ sequence: 1, data: "1" }], { ttl: 600_000, maxBytes: 1000 });

  const empty = await used();
  for (const [index, id] of ids.entries()) {
    await node.sessions.create({ id, facts: FACTS, client: `client ${index % 100}` }, 600_000, ROOM);
  }
  const withSessions = await used();
  const data = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "x".repeat(40) }] } });
  for (const id of ids) {
    await node.events.append(id, "pabcdefghij.1", [{ sequence: 1, data }], { ttl: 600_000, maxBytes: 100_000 });
  }
  const withStreams = await used();
  for (const id of ids) {
    await node.events.append(id, "pabcdefghij.1", [{ sequence: 2, data }], { ttl: 600_000, maxBytes: 100_000 });
  }
  const withEvents = await used();

  const sizes: { [suffix: string]: number } = {};
  for (const key of await admin.keys("toolwire:{*}:*")) {
    sizes[/[a-z]+(?=:|$)/.exec(key.slice(key.indexOf("}:") + 2))?.[0] ?? ""] = (await admin.memoryUsage(key)) ?? 0;
  }
  const each = {
    facts: FACTS.length,
    data: data.length,
    session: (withSessions - empty) / COUNT,
    firstEvent: (withStreams - withSessions) / COUNT,
    nextEvent: (withEvents - withStreams) / COUNT,
    MEMORY_USAGE: sizes,
  };
  admin.destroy();
  console.log(JSON.stringify(each));
  expect(each.session).toBeLessThan(900);
  expect(each.firstEvent).toBeLessThan(1000);
  expect(each.nextEvent).toBeLessThan(200);
});
