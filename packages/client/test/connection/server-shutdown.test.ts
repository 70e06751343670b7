import { connect, type ConnectOptions } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveWebSocket, type WebSocketListener } from "@toolwire/server/websocket";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../test/eventually.ts";
import { withResolvers } from "../with-resolvers.ts";

/** A server that can be closed and started again at the same port, and the calls that it has run. */
async function start() {
  const gate = withResolvers<void>();
  const ran: string[] = [];
  let starts = 0;
  let serving: WebSocketListener;
  let port = 0;

  async function open(): Promise<void> {
    const nth = ++starts;
    const server = createServer({
      name: "restarted",
      version: "1",
      onDiagnostic: () => {},
      tools: {
        hold: tool({
          async run() {
            ran.push(`hold ${nth}`);
            await gate.promise;
            return "held";
          },
        }),
        quick: tool({
          run() {
            ran.push(`quick ${nth}`);
            return "quick";
          },
        }),
        ask: tool({
          async run(_, { elicit }) {
            ran.push(`ask ${nth}`);
            await gate.promise;
            const { answer } = await elicit("q", { message: "Well?", schema: z.object({ answer: z.string() }) });
            return answer;
          },
        }),
      },
    });
    serving = await serveWebSocket(server, { port, closeTimeout: 600_000 });
    ({ port } = serving);
    onTestFinished(() => serving.close());
  }

  await open();
  return { open, gate, ran, close: () => serving.close(), url: serving!.url };
}

const textOf = ({ content }: { readonly content: readonly object[] }): unknown =>
  (content[0] as { readonly text?: string }).text;

describe.each(["modern", "legacy"] as const)("a server that shuts down, in the %s era,", (era) => {
  const options: ConnectOptions = {
    era,
    onDiagnostic: () => {},
    reconnect: { delay: 1, maxDelay: 20 },
    elicitation: () => ({ action: "accept", content: { answer: "fine" } }),
  };

  test("answers what it was asked before, and gets nothing more: new calls wait for the next connection", async () => {
    const server = await start();
    await using client = await connect(server.url, options);
    const held = client.callTool("hold");
    await eventually(() => expect(server.ran).toEqual(["hold 1"]));
    const closing = server.close();
    const calls = Array.from({ length: 5 }, () => client.callTool("quick"));
    // The response to this comes behind the refusals of the calls.
    await client.request("ping").catch(() => {});
    server.gate.resolve();
    expect(textOf(await held)).toBe("held");
    await closing;
    await server.open();
    expect((await Promise.all(calls)).map(textOf)).toEqual(Array.from({ length: 5 }, () => "quick"));
    expect(server.ran).toEqual(["hold 1", ...Array.from({ length: 5 }, () => "quick 2")]);
  });

  // In the modern era, an answer is a request of its own, and the server does not wait for it.
  test.runIf(era === "legacy")("still gets answers to its questions", async () => {
    const server = await start();
    await using client = await connect(server.url, options);
    const asking = client.callTool("ask");
    await eventually(() => expect(server.ran).toEqual(["ask 1"]));
    const closing = server.close();
    const quick = client.callTool("quick");
    await client.request("ping").catch(() => {});
    server.gate.resolve();
    await closing;
    await server.open();
    expect(textOf(await asking)).toBe("fine");
    expect(textOf(await quick)).toBe("quick");
    expect(server.ran.filter((call) => call.startsWith("quick"))).toEqual(["quick 2"]);
  });

  test("leaves calls that wait in vain for another connection with an error that says that they were not sent", async () => {
    const server = await start();
    await using client = await connect(server.url, { ...options, reconnect: false });
    const held = client.callTool("hold");
    await eventually(() => expect(server.ran).toEqual(["hold 1"]));
    const closing = server.close();
    const quick = client.callTool("quick").catch((error: unknown) => error);
    await client.request("ping").catch(() => {});
    server.gate.resolve();
    expect(textOf(await held)).toBe("held");
    await closing;
    expect(await quick).toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("The call was not sent") as string,
    });
    expect(server.ran).toEqual(["hold 1"]);
  });
});
