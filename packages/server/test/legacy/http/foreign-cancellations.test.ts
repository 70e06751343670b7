import { describe, expect, test } from "vitest";
import { Events, initialize, LegacyClient, post, type Seen } from "../../bindings/http/client.ts";
import { PLATFORMS } from "../../bindings/http/platforms.ts";

/** How often the bridge cancels something before it calls on. */
const ROUNDS = 12;

const cancel = (requestId: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "timeout" },
});

const call = (id: number, text: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", arguments: { text } },
});

/**
 * There are bridges that count requests anew on each side, and pass on cancellations with the id of the other side. The
 * server then gets cancellations of ids that it has not seen yet. No call may fail because of that.
 */
describe.each(PLATFORMS)(
  "a bridge that passes on cancellations under ids of another numbering, on $name",
  ({ serve }) => {
    test("gets the result of every call that it posts in a session", async () => {
      const client = await LegacyClient.open(await serve());
      for (let id = 10; id < 10 + ROUNDS; id += 1) {
        // The other side counts ahead of this one, so that the cancellation names the very next call.
        await client.send(cancel(id));
        const response = await client.send(call(id, `call ${id}`));
        expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
        const answer = (await response.json()) as Seen;
        expect([answer.id, answer.result?.["content"]]).toEqual([id, [{ type: "text", text: `call ${id}` }]]);
      }
    });

    test("gets the result of every member of a batch", async () => {
      const client = await LegacyClient.open(await serve(), "2025-03-26");
      await client.send([cancel(10), cancel(11)]);
      const response = await client.send([call(10, "a"), call(11, "b"), call(12, "c")]);
      const answers = (await response.json()) as Seen[];
      expect(new Set(answers.map(({ id, result }) => result && id))).toEqual(new Set([10, 11, 12]));
    });

    test("gets the result of every call over the HTTP+SSE pair", async () => {
      const target = await serve({ legacy: { sse: true } });
      const events = new Events(await target.send({ path: "/sse", headers: { accept: "text/event-stream" } }));
      const path = (await events.next())?.data ?? "";
      await target.send({ path, ...post(initialize("2025-03-26")) });
      await events.message();
      for (let id = 10; id < 10 + ROUNDS; id += 1) {
        await target.send({ path, ...post(cancel(id)) });
        expect((await target.send({ path, ...post(call(id, `call ${id}`)) })).status).toBe(202);
        const answer = await events.message();
        expect([answer?.id, answer?.result?.["content"]]).toEqual([id, [{ type: "text", text: `call ${id}` }]]);
      }
      await events.cancel();
    });
  },
);
