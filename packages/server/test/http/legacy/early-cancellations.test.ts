import { afterEach, describe, expect, test, vi } from "vitest";
import { Events, initialize, LegacyClient, post } from "../client.ts";
import { FRONTS, type Target } from "../fronts.ts";

const cancel = (requestId: unknown): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

const call = (id: string | number, name: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

/** Each POST may take a socket of its own, so a cancellation can come ahead of its request. */
describe.each(FRONTS)("cancellations that overtake their requests on $name", ({ serve }) => {
  afterEach(() => void vi.useRealTimers());

  describe("in a session", () => {
    test("the request is not run, and answered as one that was cancelled while it ran", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      expect((await client.send(cancel(5))).status).toBe(202);
      const response = await client.call("wait", {}, 5);
      expect([response.status, await response.text()]).toEqual([202, ""]);
      target.release();
      await client.call("wait", { name: "another" }, 6);
      expect(target.finished).toEqual(["another"]);
    });

    test("a string and a number are different ids", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel("5"));
      expect((await client.call("echo", {}, 5)).status).toBe(200);
      expect((await client.call("echo", {}, "5")).status).toBe(202);
    });

    test("it counts for one request alone, also if it is said once more", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel(5));
      expect((await client.call("echo", {}, 5)).status).toBe(202);
      await client.send(cancel(5));
      expect((await client.call("echo", {}, 5)).status).toBe(200);
    });

    test("one that comes after the answer, or twice, is no harm to a client that uses an id again", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      expect((await client.call("echo", {}, 5)).status).toBe(200);
      await client.send(cancel(5));
      const answer = client.call("wait", {}, 5);
      await target.began("wait");
      await client.send(cancel(5));
      expect((await answer).status).toBe(202);
      await client.send(cancel(5));
      expect((await client.call("echo", {}, 5)).status).toBe(200);
    });

    test("one that came long ago is forgotten", async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel(5));
      vi.setSystemTime(Date.now() + 60_000);
      expect((await client.call("echo", {}, 5)).status).toBe(200);
    });

    test("of very many, and of ids that are very long, the latest and the short ones are remembered", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const long = "x".repeat(10_000);
      await client.send(cancel(long));
      for (let id = 100; id <= 164; id += 1) await client.send(cancel(id));
      expect((await client.call("echo", {}, 100)).status).toBe(200);
      expect((await client.call("echo", {}, 101)).status).toBe(202);
      expect((await client.call("echo", {}, 164)).status).toBe(202);
      expect((await client.call("echo", {}, long)).status).toBe(200);
    });

    test("the sessions of others are not concerned", async () => {
      const target = await serve();
      const [one, two] = [await LegacyClient.open(target), await LegacyClient.open(target)];
      await one.send(cancel(5));
      expect((await two.call("echo", {}, 5)).status).toBe(200);
    });

    test("in a batch, the others are answered; a batch of which nothing is left gets a 202", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target, "2025-03-26");
      await client.send([cancel(5), cancel(6)]);
      const response = await client.send([call(5, "wait"), call(7, "echo")]);
      expect(await response.json()).toMatchObject([{ id: 7, result: {} }]);
      expect((await client.send([call(6, "wait")])).status).toBe(202);
      expect((await client.send([call(6, "echo")])).status).toBe(200);
    });
  });

  describe("over the HTTP+SSE pair", () => {
    async function open(target: Target): Promise<{ events: Events; send: (body: unknown) => Promise<number> }> {
      const events = new Events(await target.send({ path: "/sse", headers: { accept: "text/event-stream" } }));
      const path = (await events.next())?.data ?? "";
      const send = async (body: unknown): Promise<number> => (await target.send({ path, ...post(body) })).status;
      await send(initialize("2025-03-26"));
      await events.message();
      return { events, send };
    }

    test("the request is not run, and not answered", async () => {
      const target = await serve({ legacySse: true });
      const { events, send } = await open(target);
      await send(cancel("5"));
      expect([await send(call(5, "echo")), await send(call("5", "wait"))]).toEqual([202, 202]);
      expect(await send([call(6, "echo")])).toBe(202);
      expect([await events.message(), await events.message()]).toMatchObject([{ id: 5 }, [{ id: 6 }]]);
      target.release();
      await send(call(7, "wait"));
      expect((await events.message())?.id).toBe(7);
      expect(target.finished).toEqual(["wait"]);
      await events.cancel();
    });

    test("in a batch, the others are answered", async () => {
      const target = await serve({ legacySse: true });
      const { events, send } = await open(target);
      await send(cancel(5));
      await send([call(5, "wait"), call(6, "echo")]);
      expect(await events.message()).toMatchObject([{ id: 6, result: {} }]);
      await send(cancel(7));
      expect(await send([call(7, "wait")])).toBe(202);
      await events.cancel();
    });

    test("one that comes after the answer, or twice, is no harm to a client that uses an id again", async () => {
      const target = await serve({ legacySse: true });
      const { events, send } = await open(target);
      await send(call(5, "echo"));
      expect((await events.message())?.id).toBe(5);
      await send(cancel(5));
      await send(call(5, "wait"));
      await target.began("wait");
      await send(cancel(5));
      await target.wasCancelled;
      await send(cancel(5));
      await send(call(5, "echo"));
      expect((await events.message())?.id).toBe(5);
      await events.cancel();
    });
  });
});
