import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { countResources, findLeftovers } from "../../src/load/leftovers.ts";

test("findLeftovers() finds what keeps the process alive, until it is closed", async () => {
  const before = countResources();
  const servers = [createServer(), createServer()].map((server) => server.listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const left = await findLeftovers(before, 2);
  for (const server of servers) server.close();

  expect(left).toContain("TCPServerWrap 2");
  expect(await findLeftovers(before, 2)).not.toContainEqual(expect.stringContaining("TCPServerWrap"));
});
