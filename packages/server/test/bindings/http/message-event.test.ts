import { describe, expect, test } from "vitest";
import { Events, LegacyClient, modern, post } from "./client.ts";
import { PLATFORMS } from "./platforms.ts";

/** The kinds of the events that carry messages, up to the end of the stream. */
async function kindsOf(response: Response): Promise<(string | undefined)[]> {
  const events = new Events(response);
  const kinds: (string | undefined)[] = [];
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    if (event.message !== undefined) kinds.push(event.event);
  }
  return kinds;
}

describe.each(PLATFORMS)("events that carry messages say so, as some clients see no others, on $name", ({ serve }) => {
  test("in the modern era: on a stream, and alone", async () => {
    const { send } = await serve();
    const meta = { progressToken: 1 };
    expect(await kindsOf(await send(modern("tools/call", { name: "steps" }, { meta })))).toEqual([
      "message",
      "message",
      "message",
      "message",
    ]);
    const headers = { accept: "text/event-stream" };
    expect(await kindsOf(await send(modern("tools/call", { name: "echo" }, { headers })))).toEqual(["message"]);
  });

  test.each([undefined, false] as const)("in a session, with eventStore %j", async (eventStore) => {
    const target = await serve({ legacy: { eventStore }, responseMode: "sse" });
    const client = await LegacyClient.open(target);
    expect(await kindsOf(await client.call("chat", { count: 2 }))).toEqual(["message", "message", "message"]);
    expect(await kindsOf(await client.call("echo"))).toEqual(["message"]);
  });

  test("when they are replayed", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("chat", { count: 2 }));
    const first = await events.next();
    await events.cancel();
    expect(await kindsOf(await client.get(first?.id))).toEqual(["message", "message", "message"]);
  });

  test("without a session", async () => {
    const { send } = await serve();
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } };
    expect(await kindsOf(await send(post(request, { accept: "text/event-stream" })))).toEqual(["message"]);
    const batch = post([request], { accept: "text/event-stream" });
    expect(await kindsOf(await send(batch))).toEqual(["message"]);
  });
});
