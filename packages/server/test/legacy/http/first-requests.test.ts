import { describe, expect, test, vi } from "vitest";
import { bindingOf } from "../../../src/binding.ts";
import { createHttpHandler } from "../../../src/http.ts";
import { BOTH, initialize, LegacyClient, post, readJson } from "../../bindings/http/client.ts";
import { createFixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS } from "../../bindings/http/platforms.ts";

describe.each(PLATFORMS)("the first legacy requests on $name", ({ serve }) => {
  test("may come at the same time: all share one set of sessions", async () => {
    const target = await serve();
    const clients = await Promise.all([1, 2, 3].map(() => LegacyClient.open(target)));
    expect(new Set(clients.map(({ session }) => session)).size).toBe(3);
    const answers = await Promise.all(
      clients.map(async (client) =>
        readJson(await client.request("tools/call", { name: "echo", arguments: { text: client.session } })),
      ),
    );
    expect(answers.map(({ result }) => result?.["content"])).toEqual(
      clients.map(({ session }) => [{ type: "text", text: session }]),
    );
  });

  test("may be of any kind", async () => {
    const target = await serve();
    const plain = { jsonrpc: "2.0", id: "a", method: "tools/list" };
    const [list, batch, get, remove] = await Promise.all([
      target.send(post(plain)),
      target.send(post([plain])),
      target.send({ method: "GET", headers: { accept: "text/event-stream", "mcp-session-id": "none" } }),
      target.send({ method: "DELETE", headers: { "mcp-session-id": "none" } }),
    ]);
    await expect(readJson(list)).resolves.toMatchObject({ id: "a", result: { tools: expect.any(Array) } });
    await expect(batch.json()).resolves.toMatchObject([{ id: "a", result: { tools: expect.any(Array) } }]);
    expect([get.status, remove.status]).toEqual([404, 404]);
  });
});

test("a first legacy request is refused if the endpoint closes before it can be taken", async () => {
  const handler = createHttpHandler(createFixture().server);
  const answer = handler.fetch(new Request("http://localhost/mcp", post(initialize("2025-11-25"))));
  await handler.close();
  expect((await answer).status).toBe(503);
});

test("a legacy request is refused if the endpoint closes while another one is taken", async () => {
  const { server } = createFixture();
  const handler = createHttpHandler(server);
  const binding = bindingOf(server);
  const openConnection = binding.openConnection.bind(binding);
  let closing: Promise<void> | undefined;
  vi.spyOn(binding, "openConnection").mockImplementation((link) => {
    closing = handler.close();
    return openConnection(link);
  });
  const send = (): Promise<Response> =>
    handler.fetch(new Request("http://localhost/mcp", post(initialize("2025-11-25"), { accept: BOTH })));
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  await closing;
});
