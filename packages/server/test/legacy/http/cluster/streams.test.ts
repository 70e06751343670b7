import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resource, tool } from "../../../../src/index.ts";
import { deferred, Events, type LegacyClient, type SeenEvent } from "../../../bindings/http/client.ts";
import { createFixture, type Fixture } from "../../../bindings/http/fixture-server.ts";
import { nodeAt, type Nodes, openAt, startNodes } from "./nodes.ts";

const NOTE = "note://today";

/** A fixture with a resource that can be watched. */
function createNotes(): Fixture {
  return createFixture({ resources: { note: resource({ uri: NOTE, read: () => "" }) } });
}

const changeNote = (nodes: Nodes, node: number): void => nodeAt(nodes.nodes, node).server.resources.updated(NOTE);

async function openStream(nodes: Nodes, client: LegacyClient, node: number, from?: string): Promise<Events> {
  nodes.to(node);
  return new Events(await client.get(from));
}

/** The next event with a message. */
async function nextMessage(events: Events): Promise<SeenEvent | undefined> {
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    if (event.message !== undefined) return event;
  }
  return undefined;
}

describe("the standalone stream of a session that several nodes serve", () => {
  test("carries changes that any node announces, of resources that were watched at another", async () => {
    const nodes = startNodes(3, { fixture: createNotes });
    const client = await openAt(nodes, 0);
    const events = await openStream(nodes, client, 1);
    nodes.to(2);
    expect((await client.request("resources/subscribe", { uri: NOTE })).status).toBe(200);
    // At once: the client may rely on what was confirmed.
    changeNote(nodes, 0);
    const heard = await nextMessage(events);
    expect(heard?.message).toMatchObject({ method: "notifications/resources/updated", params: { uri: NOTE } });
    nodes.to(0);
    expect((await client.request("resources/unsubscribe", { uri: NOTE })).status).toBe(200);
    changeNote(nodes, 2);
    nodeAt(nodes.nodes, 2).server.tools.remove("who");
    expect((await nextMessage(events))?.message?.method).toBe("notifications/tools/list_changed");
    await events.cancel();
  });

  test("goes on at another node from the last event that the client has seen", async () => {
    const nodes = startNodes(3, { fixture: createNotes });
    const client = await openAt(nodes, 0);
    nodes.to(0);
    await client.request("resources/subscribe", { uri: NOTE });
    const first = await openStream(nodes, client, 0);
    changeNote(nodes, 1);
    const seen = await nextMessage(first);
    await first.cancel();
    changeNote(nodes, 1);
    const second = await openStream(nodes, client, 2, seen?.id);
    expect((await nextMessage(second))?.message).toMatchObject({ params: { uri: NOTE } });
    await second.cancel();
  });

  test("moves to the node at which it was opened last, so that no message comes twice", async () => {
    const nodes = startNodes(2, { fixture: createNotes });
    const client = await openAt(nodes, 0);
    await client.request("resources/subscribe", { uri: NOTE });
    const first = await openStream(nodes, client, 0);
    await first.next();
    const second = await openStream(nodes, client, 1);
    await second.next();
    changeNote(nodes, 0);
    expect((await nextMessage(second))?.message).toMatchObject({ params: { uri: NOTE } });
    // When that one is gone, the first carries messages again, and has got none before.
    await second.cancel();
    const hearing = nextMessage(first);
    const heard: unknown[] = [];
    const noted = hearing.then((event) => heard.push(event));
    const { tools } = nodeAt(nodes.nodes, 1).server;
    for (let turn = 0; turn < 1000 && heard.length === 0; turn += 1) {
      if (!tools.remove("extra")) tools.add("extra", tool({ run: () => "" }));
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await noted;
    expect((await hearing)?.message?.method).toBe("notifications/tools/list_changed");
    await first.cancel();
  });

  test("tells everything that may have changed if the log does not know what has", async () => {
    const nodes = startNodes(2, { fixture: createNotes });
    const client = await openAt(nodes, 0);
    await client.request("resources/subscribe", { uri: NOTE });
    const events = await openStream(nodes, client, 1, "gaaaaaaaaaa.1-elsewhere.5-3");
    const methods = new Set<string | undefined>();
    while (methods.size < 3) methods.add((await nextMessage(events))?.message?.method);
    expect([...methods]).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
    ]);
    await events.cancel();
  });

  test("carries a question of a call at another node, whose client takes no events there", async () => {
    const nodes = startNodes(3);
    const client = await openAt(nodes, 0);
    const events = await openStream(nodes, client, 1);
    await events.next();
    nodes.to(0);
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "ask" } };
    const calling = client.send(call, { accept: "application/json" });
    const question = await events.message();
    expect(question?.method).toBe("elicitation/create");
    nodes.to(2);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Bo" } } };
    expect((await client.send(answer)).status).toBe(202);
    expect(await (await calling).json()).toMatchObject({ result: { content: [{ text: "Hello, Bo!" }] } });
    await events.cancel();
  });

  test("is not there: a question that nothing can carry fails the call, and says why", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    nodes.to(1);
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "ask" } };
    const response = await client.send(call, { accept: "application/json" });
    expect(await response.json()).toMatchObject({ result: { isError: true } });
  });
});

describe("what a client sets at one node", () => {
  test("is the log level of its calls at all others", async () => {
    const chat = tool({
      input: z.object({}),
      run(_args, ctx) {
        ctx.log("info", "quiet");
        ctx.log("error", "loud");
        return "said";
      },
    });
    const nodes = startNodes(2, { fixture: () => createFixture({ tools: { chat } }) });
    const client = await openAt(nodes, 0);
    const saidAt = async (node: number): Promise<unknown[]> => {
      nodes.to(node);
      const messages = await new Events(await client.call("chat")).rest();
      return messages.map(({ params, id }) => params?.["data"] ?? id);
    };
    expect(await saidAt(1)).toEqual(["quiet", "loud", 2]);
    nodes.to(0);
    expect((await client.request("logging/setLevel", { level: "error" })).status).toBe(200);
    let said = await saidAt(1);
    for (let tries = 0; tries < 100 && said.length > 2; tries += 1) said = await saidAt(1);
    expect(said).toEqual(["loud", 2]);
  });

  test("may be the end of a call that runs at another", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const calling = client.call("wait", {}, 9);
    await nodeAt(nodes.nodes, 0).began("wait");
    nodes.to(1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9, reason: "no" } };
    expect((await client.send(cancel)).status).toBe(202);
    await nodeAt(nodes.nodes, 0).wasCancelled;
    expect(await (await calling).text()).toBe("");
  });
});

describe("a stream of a call that several nodes carry", () => {
  /** Reports progress whenever it is told to. */
  function createSteps(): { fixture: () => Fixture; step: () => void } {
    let next = deferred();
    const steps = tool({
      async run(_args, ctx) {
        for (let step = 1; step <= 4; step += 1) {
          await ctx.notify({ method: "notifications/message", params: { level: "info", data: step } });
          await next.promise;
          next = deferred();
        }
        return "done";
      },
    });
    return { fixture: () => createFixture({ tools: { steps } }), step: () => next.resolve() };
  }

  test("comes whole, without a repeat, however often its client comes back elsewhere", async () => {
    const { fixture, step } = createSteps();
    const nodes = startNodes(3, { fixture });
    const client = await openAt(nodes, 0);
    let events = new Events(await client.call("steps"));
    const seen: unknown[] = [];
    for (const node of [1, 2, 0, 1]) {
      const event = await nextMessage(events);
      seen.push(event?.message?.params?.["data"]);
      // The first node has not noticed that the client is gone: nothing is read there any more.
      nodes.to(node);
      const response = await client.get(event?.id);
      events = new Events(response);
      step();
    }
    expect([...seen, (await nextMessage(events))?.message?.id]).toEqual([1, 2, 3, 4, 2]);
    expect(await nextMessage(events)).toBeUndefined();
  });

  test("is left to the log by a node that ends, for the client to fetch elsewhere", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const events = new Events(await client.call("pause"));
    const first = await events.next();
    await events.rest();
    const { release, handler } = nodeAt(nodes.nodes, 0);
    release();
    await handler.close();
    await nodes.kill(0);
    nodes.to(1);
    const messages = await new Events(await client.get(first?.id)).rest();
    expect(messages.map(({ id, result }) => [id, result?.["content"]])).toEqual([
      [2, [{ type: "text", text: "resumed" }]],
    ]);
  });

  test("is left to the log by a node that ends, also if that believes that everything has arrived", async () => {
    const { fixture, step } = createSteps();
    const nodes = startNodes(2, { fixture });
    const client = await openAt(nodes, 0);
    // The client loses the connection, and the node does not notice.
    const events = new Events(await client.call("steps"));
    const first = await nextMessage(events);
    const closed = nodeAt(nodes.nodes, 0).handler.close();
    for (let turn = 0; turn < 4; turn += 1) {
      step();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await closed;
    await nodes.kill(0);
    nodes.to(1);
    const messages = await new Events(await client.get(first?.id)).rest();
    expect(messages.map(({ id, params }) => id ?? params?.["data"])).toEqual([2, 3, 4, 2]);
  });

  test("is refused if its node is gone and has left nothing of it", async () => {
    const nodes = startNodes(2);
    const client = await openAt(nodes, 0);
    const events = new Events(await client.call("wait", { chatty: true }));
    const first = await events.next();
    await nodes.kill(0);
    nodes.to(1);
    expect((await client.get(first?.id)).status).toBe(400);
    expect((await client.get("p-made-up")).status).toBe(400);
    await events.cancel();
  });
});
