import { connect, type ConnectOptions } from "@toolwire/client";
import {
  createServer,
  jsonSchema,
  prompt,
  resource,
  RpcError,
  tool,
  type Context,
  type Server,
} from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startLocal } from "../local-gateway.ts";
import { revisionsOf } from "../../../relay/test/fixtures/upstream-server.ts";
import { ERAS, overHttp } from "../upstreams/hosting.ts";

const CANARY = "canary-of-an-upstream-4f1d";

const seenBy = (ctx: Context): string => `Seen: ${ctx.header("authorization")}`;

/** A server that repeats its credentials wherever it can. */
function repeatingServer(era: (typeof ERAS)[number]): Server {
  return createServer({
    name: "repeats",
    version: "1.0.0",
    revisions: revisionsOf(era),
    tools: {
      fails: tool({
        description: "Fails",
        run(_, ctx) {
          throw new RpcError(-32_000, seenBy(ctx), { data: { headers: [{ authorization: seenBy(ctx) }] } });
        },
      }),
      measures: tool({
        description: "Measures",
        output: jsonSchema<{ headers: object }>({ type: "object" }),
        run: (_, ctx) => ({ headers: { authorization: seenBy(ctx), [seenBy(ctx)]: 1 } }),
      }),
      embeds: tool({
        description: "Embeds a resource",
        run: (_, ctx) => ({ content: [{ type: "resource", resource: { uri: "docs://seen", text: seenBy(ctx) } }] }),
      }),
      tells: tool({
        description: "Reports progress, and logs",
        run(_, ctx) {
          ctx.progress(1, 2, seenBy(ctx));
          ctx.log("error", { seen: seenBy(ctx) }, seenBy(ctx));
          return "Told.";
        },
      }),
      asks: tool({
        description: `Asks with Bearer ${CANARY}`,
        async run(_, ctx) {
          await ctx.elicit("name", { message: seenBy(ctx), schema: z.object({ name: z.string() }) });
          return "Asked.";
        },
      }),
    },
    resources: { seen: resource({ uri: "docs://seen", read: (ctx) => seenBy(ctx) }) },
    prompts: { seen: prompt({ get: (_, ctx) => seenBy(ctx) }) },
  });
}

describe.each(ERAS)("secrets-appear-nowhere: an upstream of the %s era that repeats its credentials", (era) => {
  test.each(ERAS)("tells a caller of the %s era none of them, by no way", async (caller) => {
    const headers = { authorization: "Bearer ${secret:token}" };
    const upstreams = { one: { url: await overHttp(repeatingServer(era)), headers } };
    await using local = await startLocal({ s: { upstreams } });
    await local.gateway.storage.secrets.set("token", CANARY);
    const seen: unknown[] = [];
    const options: ConnectOptions = {
      era: caller,
      memory: false,
      elicitation(question) {
        seen.push(question);
        return { action: "accept", content: { name: "Ada" } };
      },
    };
    await using client = await connect(`${local.gateway.url}/mcp/s`, options);
    for (const name of ["fails", "measures", "embeds", "tells", "asks"]) {
      const onProgress = (progress: unknown): void => void seen.push(progress);
      const onLog = (message: unknown): void => void seen.push(message);
      const called = client.callTool(name, {}, { onProgress, onLog, logLevel: "debug" });
      seen.push(
        await called.catch((error: unknown) => ({ message: String(error), data: (error as { data?: unknown }).data })),
      );
    }
    seen.push(await client.readResource("docs://seen"), await client.getPrompt("seen"), await client.listTools());
    const text = JSON.stringify(seen);
    expect(text).not.toContain(CANARY);
    // Each of them was there: in the error twice, in the result three times, and in everything else.
    expect(text.match(/Seen: Bearer \[secret\]|Seen: \[secret\]/g)?.length).toBeGreaterThanOrEqual(11);
    expect(JSON.stringify(local.records)).not.toContain(CANARY);
  });
});

test("secrets-appear-nowhere: an upstream that says with its credentials that a page is done tells a caller none of them", async () => {
  const server = createServer({
    name: "repeats",
    version: "1.0.0",
    revisions: revisionsOf("legacy"),
    tools: {
      completes: tool({
        description: "Says that a page is done",
        async run(_, ctx) {
          const params = { elicitationId: seenBy(ctx), _meta: { "com.example/seen": [seenBy(ctx)] } };
          await ctx.notify({ method: "notifications/elicitation/complete", params });
          return "Done.";
        },
      }),
    },
  });
  const headers = { authorization: "Bearer ${secret:token}" };
  const upstreams = { one: { url: await overHttp(server), headers } };
  await using local = await startLocal({ s: { upstreams } });
  await local.gateway.storage.secrets.set("token", CANARY);
  const heard: unknown[] = [];
  await using client = await connect(`${local.gateway.url}/mcp/s`, {
    era: "legacy",
    memory: false,
    elicitation: () => ({ action: "decline" }),
    onNotification: (message) => void heard.push(message),
  });
  await expect(client.callTool("completes")).resolves.toMatchObject({ content: [{ text: "Done." }] });
  const completions = heard.filter(
    (message) => (message as { readonly method: string }).method === "notifications/elicitation/complete",
  );
  expect(completions).toHaveLength(1);
  const text = JSON.stringify(completions);
  expect(text).not.toContain(CANARY);
  expect(text.match(/\[secret\]/g)).toHaveLength(2);
});
