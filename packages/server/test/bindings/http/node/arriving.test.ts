import { expect, test } from "vitest";
import { deferred, modern } from "../client.ts";
import { from, serveAddressed } from "./serve-from-address.ts";

test("callers at one address cannot take all places before it is known who they are", async () => {
  const known = deferred();
  const asked = deferred();
  let waiting = 0;
  const target = await serveAddressed({
    maxInFlight: 20,
    async authenticate({ header }) {
      if (header("x-from") === "203.0.113.7") {
        waiting += 1;
        if (waiting === 10) asked.resolve();
        await known.promise;
      }
      return { id: "ada" };
    },
  });
  const call = (address: string): Promise<Response> =>
    target.send(modern("tools/call", { name: "echo", arguments: {} }, { headers: from(address) }));
  // Each has a connection of its own.
  const first = Array.from({ length: 10 }, () => call("203.0.113.7"));
  await asked.promise;
  const refused = await call("203.0.113.7");
  expect([refused.status, refused.headers.get("retry-after"), waiting]).toEqual([429, "1", 10]);
  expect((await call("203.0.113.8")).status).toBe(200);
  known.resolve();
  for (const response of await Promise.all(first)) expect(response.status).toBe(200);
  expect((await call("203.0.113.7")).status).toBe(200);
});
