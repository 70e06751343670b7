import type { Message, RequestMessage } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { createServer, tool, type Serving } from "../../src/index.ts";

/** A binding that knows a server by its contract alone. */
async function openBus(server: Serving, send: (message: Message) => void): Promise<(request: RequestMessage) => void> {
  await server.ready();
  const session = server.openSession({ notify: send });
  const origin = { binding: "bus", connection: session, session };
  return (request) => void server.serve(request, { notify: send, respond: send }, origin);
}

test("a session that is opened before the server is ready is refused, and the error says what to wait for", () => {
  const server: Serving = createServer({ name: "c", version: "1" });
  expect(() => server.openSession({})).toThrow("ready()");
});

test("the contract is all that a binding with sessions needs", async () => {
  const server = createServer({ name: "c", version: "1", tools: { greet: tool({ run: () => "Hello" }) } });
  const sent: Message[] = [];
  const take = await openBus(server, (message) => void sent.push(message));
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  take({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  await expect.poll(() => sent).toHaveLength(1);
  take({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "greet" } });
  await expect.poll(() => sent).toHaveLength(2);
  expect(JSON.parse(JSON.stringify(sent))).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-11-25" } },
    { id: 2, result: { content: [{ text: "Hello" }] } },
  ]);
});
