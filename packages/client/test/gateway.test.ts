import { connect, type ClientDiagnostic, type Revision } from "@toolwire/client";
import { createServer, tool, type Context, type Server } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const NAME = z.object({ name: z.string() });
const CALL_KEY = "com.example/call";

async function serve(server: Server): Promise<string> {
  const serving = await serveHttp(server, { port: 0 });
  onTestFinished(() => serving.close());
  return serving.url;
}

/** A server whose tool asks in the middle of its work. */
function askingServer(): Server {
  return createServer({
    name: "asking",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      greet: tool({
        description: "Greets whoever answers",
        async run(_, ctx) {
          const { name } = await ctx.elicit("who", { message: "Who?", schema: NAME });
          return `Hello, ${name}`;
        },
      }),
    },
  });
}

/** A server that passes calls on to another, and what that asks on to whoever called. */
async function gatewayTo(url: string, revision: Revision, fail?: () => never) {
  const events: ClientDiagnostic[] = [];
  const callers = new Map<unknown, Context>();
  const upstream = await connect(url, {
    revision,
    memory: false,
    onDiagnostic: (event) => events.push(event),
    async elicitation({ message }, { request }) {
      fail?.();
      const meta = (request?.params as { readonly _meta?: Record<string, unknown> } | undefined)?._meta;
      const content = await callers.get(meta?.[CALL_KEY])!.elicit("upstream", { message, schema: NAME });
      return { action: "accept", content };
    },
  });
  onTestFinished(() => upstream.close());
  let calls = 0;
  const gateway = createServer({
    name: "gateway",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      greet: tool({
        description: "Asks the other server to greet",
        async run(_, ctx) {
          const call = ++calls;
          callers.set(call, ctx);
          try {
            const { content } = await upstream.callTool("greet", {}, { _meta: { [CALL_KEY]: call } });
            return content.map((block) => ("text" in block ? block.text : "")).join("");
          } finally {
            callers.delete(call);
          }
        },
      }),
    },
  });
  return { url: await serve(gateway), events };
}

describe.each<Revision>(["2026-07-28", "2025-11-25"])("a gateway to a server of %s", (revision) => {
  test("passes its questions on, and nobody has failed", async () => {
    const { url, events } = await gatewayTo(await serve(askingServer()), revision);
    const client = await connect(url, {
      revision: "2026-07-28",
      memory: false,
      elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    onTestFinished(() => client.close());
    await expect(client.callTool("greet")).resolves.toMatchObject({ content: [{ text: "Hello, Ada" }] });
    expect(events.filter(({ level }) => level !== "debug")).toEqual([]);
  });
});

test("a handler that fails is still reported", async () => {
  const { url, events } = await gatewayTo(await serve(askingServer()), "2025-11-25", () => {
    throw new Error("no dialog");
  });
  const client = await connect(url, { memory: false });
  onTestFinished(() => client.close());
  await client.callTool("greet");
  expect(events).toEqual([
    { level: "error", message: expect.stringContaining("no dialog") as string, error: new Error("no dialog") },
  ]);
});
