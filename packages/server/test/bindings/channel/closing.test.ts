import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool } from "../../../src/index.ts";
import { defer, LegacyClient, ModernClient } from "../../wire-client.ts";

function define() {
  const gate = defer();
  const started: string[] = [];
  const server = createServer({
    name: "closing",
    version: "1",
    onDiagnostic: () => {},
    tools: {
      hold: tool({
        input: z.object({ name: z.string() }),
        async run({ name }) {
          started.push(name);
          await gate.promise;
          return name;
        },
      }),
      confirm: tool({
        async run(_, { elicit }) {
          const { answer } = await elicit("q", { message: "Well?", schema: z.object({ answer: z.string() }) });
          return answer;
        },
      }),
      ask: tool({
        async run(_, { elicit }) {
          started.push("ask");
          await gate.promise;
          const { answer } = await elicit("q", { message: "Well?", schema: z.object({ answer: z.string() }) });
          return answer;
        },
      }),
    },
  });
  return { server, gate, started };
}

/** Longer than any test takes. */
const PATIENT = { closeTimeout: 600_000 };

describe("a channel that is being closed", () => {
  test("refuses further requests, says that nothing was run, and ends when the others are answered", async () => {
    const { server, gate, started } = define();
    const client = new ModernClient(server, PATIENT);
    const first = client.callTool("hold", { name: "first" });
    await client.request("tools/list");
    const closing = client.served.close();
    await expect(client.callTool("hold", { name: "second" })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("Nothing was run") as string,
      data: { reason: "shutting-down" },
    });
    await expect(client.request("tools/list")).rejects.toMatchObject({ data: { reason: "shutting-down" } });
    gate.resolve();
    await closing;
    expect((await first).content[0].text).toBe("first");
    expect(started).toEqual(["first"]);
  });

  test("still asks the client for what is in the works, takes its answers, and answers pings", async () => {
    const { server, gate } = define();
    const client = await LegacyClient.open(server, {
      ...PATIENT,
      capabilities: { elicitation: {} },
      answer: () => ({ action: "accept", content: { answer: "fine" } }),
    });
    const asking = client.callTool("ask");
    await client.request("ping");
    const closing = client.served.close();
    await expect(client.request("ping")).resolves.toEqual({});
    gate.resolve();
    expect((await asking).content[0].text).toBe("fine");
    await closing;
  });

  test("goes on with a call that it has asked for input before, while others are in the works", async () => {
    const { server, gate } = define();
    const client = new ModernClient(server, { ...PATIENT, capabilities: { elicitation: { form: {} } } });
    const { requestState, inputRequests } = await client.callTool("confirm");
    const first = client.callTool("hold", { name: "first" });
    await client.request("tools/list");
    const closing = client.served.close();
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as object).map((key) => [key, { action: "accept", content: { answer: "fine" } }]),
    );
    const confirmed = await client.callTool("confirm", undefined, { requestState, inputResponses });
    expect(confirmed.content[0].text).toBe("fine");
    gate.resolve();
    await closing;
    await first;
  });

  test("refuses the requests in a batch, too", async () => {
    const { server, gate, started } = define();
    const client = await LegacyClient.open(server, { ...PATIENT, revision: "2025-03-26" });
    const first = client.callTool("hold", { name: "first" });
    await client.request("ping");
    const closing = client.served.close();
    const params = { name: "hold", arguments: { name: "second" } };
    client.sendBatch([{ jsonrpc: "2.0", id: "b1", method: "tools/call", params }]);
    await client.until(() => client.received.some((message) => "error" in message && message.id === "b1"));
    gate.resolve();
    await closing;
    await first;
    expect(started).toEqual(["first"]);
  });
});
