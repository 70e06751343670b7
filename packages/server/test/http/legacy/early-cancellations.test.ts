import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Events, initialize, LegacyClient, post, readJson, type Seen } from "../client.ts";
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

/** The error that answers a request which was cancelled before it came. */
const CANCELLED = { code: -32800, message: expect.stringContaining("cancelled before it came") };

/** Each POST may take a socket of its own, so a cancellation can come ahead of its request. */
describe.each(FRONTS)("cancellations that overtake their requests on $name", ({ serve }) => {
  // The clock stands still unless a test moves it.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  describe("in a session", () => {
    /** Calls `echo`, and returns its text or the code of the error. */
    async function echo(client: LegacyClient, id: string | number): Promise<unknown> {
      const response = await client.call("echo", { text: "said" }, id);
      const answer = await readJson(response);
      expect([response.status, answer.id]).toEqual([200, id]);
      return answer.error?.code ?? answer.result?.["content"];
    }

    const SAID = [{ type: "text", text: "said" }];

    test("the request is not run, and answered with an error that says why", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      expect((await client.send(cancel(5))).status).toBe(202);
      const response = await client.call("wait", {}, 5);
      expect(response.status).toBe(200);
      expect(await readJson(response)).toMatchObject({ id: 5, error: CANCELLED });
      target.release();
      await client.call("wait", { name: "another" }, 6);
      expect(target.finished).toEqual(["another"]);
    });

    test("a client that takes events alone gets the error as an event", async () => {
      const client = await LegacyClient.open(await serve());
      await client.send(cancel(5));
      const response = await client.send(call(5, "echo"), { accept: "text/event-stream" });
      expect(await new Events(response).rest()).toMatchObject([{ id: 5, error: CANCELLED }]);
    });

    test("a string and a number are different ids", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel("5"));
      expect([await echo(client, 5), await echo(client, "5")]).toEqual([SAID, CANCELLED.code]);
    });

    test("it counts for one request alone, also if it is said once more", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel(5));
      expect(await echo(client, 5)).toBe(CANCELLED.code);
      await client.send(cancel(5));
      expect(await echo(client, 5)).toEqual(SAID);
    });

    test("one that comes after the answer, or twice, is no harm to a client that uses an id again", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      expect(await echo(client, 5)).toEqual(SAID);
      await client.send(cancel(5));
      const answer = client.call("wait", {}, 5);
      await target.began("wait");
      await client.send(cancel(5));
      expect(await new Events(await answer).rest()).toEqual([]);
      await client.send(cancel(5));
      expect(await echo(client, 5)).toEqual(SAID);
    });

    test("one that came a second ago is forgotten: the request that it overtook would have come by then", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.send(cancel(5));
      await client.send(cancel(6));
      vi.advanceTimersByTime(999);
      expect(await echo(client, 5)).toBe(CANCELLED.code);
      vi.advanceTimersByTime(1);
      expect(await echo(client, 6)).toEqual(SAID);
    });

    test("a jump of the system clock does not matter", async () => {
      const client = await LegacyClient.open(await serve());
      await client.send(cancel(5));
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(await echo(client, 5)).toBe(CANCELLED.code);
    });

    test("of very many, and of ids that are very long, the latest and the short ones are remembered", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const long = "x".repeat(10_000);
      await client.send(cancel(long));
      for (let id = 100; id <= 132; id += 1) await client.send(cancel(id));
      expect([await echo(client, 100), await echo(client, long)]).toEqual([SAID, SAID]);
      expect([await echo(client, 101), await echo(client, 132)]).toEqual([CANCELLED.code, CANCELLED.code]);
    });

    test("the sessions of others are not concerned", async () => {
      const target = await serve();
      const [one, two] = [await LegacyClient.open(target), await LegacyClient.open(target)];
      await one.send(cancel(5));
      expect(await echo(two, 5)).toEqual(SAID);
    });

    test("in a batch, such a request is answered with an error beside the answers to the others", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target, "2025-03-26");
      await client.send([cancel(5), cancel(6)]);
      const response = await client.send([call(5, "wait"), call(7, "echo")]);
      expect(await response.json()).toMatchObject([
        { id: 5, error: CANCELLED },
        { id: 7, result: {} },
      ]);
      expect(await (await client.send([call(6, "wait")])).json()).toMatchObject([{ id: 6, error: CANCELLED }]);
      expect(await (await client.send([call(6, "echo")])).json()).toMatchObject([{ id: 6, result: {} }]);
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

    test("the request is not run, and answered with an error that says why", async () => {
      const target = await serve({ legacySse: true });
      const { events, send } = await open(target);
      await send(cancel("5"));
      expect([await send(call(5, "echo")), await send(call("5", "wait"))]).toEqual([202, 202]);
      expect([await events.message(), await events.message()]).toMatchObject([
        { id: 5, result: {} },
        { id: "5", error: CANCELLED },
      ]);
      target.release();
      await send(call(7, "wait"));
      expect((await events.message())?.id).toBe(7);
      expect(target.finished).toEqual(["wait"]);
      await events.cancel();
    });

    test("in a batch, such a request is answered with an error, and the others as ever", async () => {
      const target = await serve({ legacySse: true });
      const { events, send } = await open(target);
      await send(cancel(5));
      await send([call(5, "wait"), call(6, "echo")]);
      const answers = [await events.message(), await events.message()].flat() as Seen[];
      expect(answers).toMatchObject([
        { id: 5, error: CANCELLED },
        { id: 6, result: {} },
      ]);
      await send(cancel(7));
      expect(await send([call(7, "wait")])).toBe(202);
      expect(await events.message()).toMatchObject({ id: 7, error: CANCELLED });
      await events.cancel();
    });

    test("one that came a second ago is forgotten", async () => {
      const { events, send } = await open(await serve({ legacySse: true }));
      await send(cancel(5));
      vi.advanceTimersByTime(1000);
      await send(call(5, "echo"));
      expect(await events.message()).toMatchObject({ id: 5, result: {} });
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
