import { expect, test } from "vitest";
import { createServer, prompt, resource, tool, type Context } from "../../src/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

test("every handler finds the `_meta` of its request under the name that it has on the wire", async () => {
  const seen: unknown[] = [];
  const see = ({ _meta }: Context): string => {
    seen.push(_meta["com.example/trace"]);
    return "";
  };
  const server = createServer({
    name: "c",
    version: "1",
    middleware: [(call, next) => (see(call.context), next())],
    tools: { t: tool({ run: (_args, ctx) => see(ctx) }) },
    prompts: { p: prompt({ get: (_args, ctx) => see(ctx) }) },
    resources: { r: resource({ uri: "a://r", read: (ctx) => see(ctx) }) },
  });
  const legacy = await LegacyClient.open(server);
  seen.length = 0;
  for (const client of [new ModernClient(server), legacy]) {
    await client.request("tools/call", { name: "t", _meta: { "com.example/trace": 1 } });
    await client.request("prompts/get", { name: "p", _meta: { "com.example/trace": 2 } });
    await client.request("resources/read", { uri: "a://r", _meta: { "com.example/trace": 3 } });
  }
  expect(seen).toStrictEqual([1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3]);
});
