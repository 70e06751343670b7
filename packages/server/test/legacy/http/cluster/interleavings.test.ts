import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resource, tool } from "../../../../src/index.ts";
import { createFaultyEngine, type Faults } from "../../../cluster/faulty-engine.ts";
import { deferred, Events, type LegacyClient, type Seen } from "../../../bindings/http/client.ts";
import { createFixture, type Fixture } from "../../../bindings/http/fixture-server.ts";
import { nodeAt, openAt, startNodes, type Nodes } from "./nodes.ts";

const NODES = 3;
const node = fc.integer({ min: 0, max: NODES - 1 });
const RUNS = { numRuns: 20, timeout: 20_000, endOnFailure: true };

/** How often a client sends something again that a server could not take. */
const MOST_TRIES = 200;

/** Sends something until a server takes it, as the status 503 asks for. No other status may come. */
async function insist(nodes: Nodes, at: () => number, send: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    nodes.to(at());
    const response = await send();
    if (response.status !== 503) return response;
    await response.body?.cancel();
  }
  throw new Error("No server took it.");
}

const network: fc.Arbitrary<Faults> = fc.record({
  seed: fc.integer(),
  delay: fc.integer({ min: 0, max: 5 }),
  loss: fc.constantFrom(0, 0.1),
  duplication: fc.constantFrom(0, 0.3),
  failures: fc.constantFrom(0, 0.1),
  repeats: fc.constantFrom(0, 0.3),
});

describe("over an unreliable network, whatever node each message gets to,", () => {
  test("each question is answered once, with the answer that was meant for it", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        network,
        fc.array(fc.tuple(node, node, node), { minLength: 1, maxLength: 6 }),
        async (faults, calls) => {
          const settled: string[] = [];
          const greet = tool({
            input: z.object({ call: z.number() }),
            async run({ call }, ctx) {
              const { name } = await ctx.elicit("name", { message: `${call}`, schema: z.object({ name: z.string() }) });
              settled.push(`${call}: ${name}`);
              return name;
            },
          });
          const engine = createFaultyEngine(faults);
          const nodes = startNodes(NODES, { engine, fixture: () => createFixture({ tools: { greet } }) });
          const client = await openSurely(nodes);
          await Promise.all(
            calls.map(async ([called, answered, repeated], call) => {
              const params = { name: "greet", arguments: { call } };
              const request = { jsonrpc: "2.0", id: call + 10, method: "tools/call", params };
              const events = new Events(
                await insist(
                  nodes,
                  () => called,
                  () => client.send(request),
                ),
              );
              const question = await events.message();
              const result = { action: "accept", content: { name: `answer ${call}` } };
              const answer = { jsonrpc: "2.0", id: question?.id, result };
              for (const at of [answered, repeated]) {
                const taken = await insist(
                  nodes,
                  () => at,
                  () => client.send(answer),
                );
                expect(taken.status).toBe(202);
              }
              expect((await events.message())?.result?.["content"]).toEqual([{ type: "text", text: `answer ${call}` }]);
            }),
          );
          expect(settled.toSorted()).toEqual(calls.map((_, call) => `${call}: answer ${call}`));
          engine.calm();
          await nodes.close();
        },
      ),
      RUNS,
    ),
  );

  test("no session ends but by its client, and it ends everywhere", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(network, fc.array(node, { maxLength: 12 }), node, async (faults, visits, last) => {
        const engine = createFaultyEngine(faults);
        const nodes = startNodes(NODES, { engine });
        const client = await openSurely(nodes);
        for (const at of visits) {
          const response = await insist(
            nodes,
            () => at,
            () => client.call("echo", { text: "x" }),
          );
          expect(response.status).toBe(200);
        }
        const ended = await insist(
          nodes,
          () => last,
          () => client.delete(),
        );
        // A request that was carried out without an answer has ended it before.
        expect([200, 404]).toContain(ended.status);
        engine.calm();
        for (let at = 0; at < NODES; at += 1) {
          // What was lost on the way is found out with the next look into the engine, which a fresh node has to take.
          const fresh = nodes.add();
          nodes.to(fresh);
          expect((await client.request("ping")).status).toBe(404);
        }
        await nodes.close();
      }),
      RUNS,
    ),
  );

  test("a stream comes whole and in order, whatever nodes its client goes on at", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        network.map((faults) => ({ ...faults, loss: 0 })),
        fc.array(fc.tuple(node, fc.integer({ min: 0, max: 3 })), { maxLength: 5 }),
        async (faults, moves) => {
          const count = 8;
          const gates = Array.from({ length: count }, () => deferred());
          const steps = tool({
            async run(_args, ctx) {
              for (let step = 0; step < count; step += 1) {
                await ctx.notify({ method: "notifications/message", params: { level: "info", data: step } });
                await gates[step]?.promise;
              }
              return "done";
            },
          });
          const engine = createFaultyEngine(faults);
          const nodes = startNodes(NODES, { engine, fixture: () => createFixture({ tools: { steps } }) });
          const client = await openSurely(nodes);
          const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "steps" } };
          let events = new Events(
            await insist(
              nodes,
              () => 0,
              () => client.send(call),
            ),
          );
          const seen: unknown[] = [];
          let lastId: string | undefined;
          const take = async (): Promise<Seen | undefined> => {
            for (let event = await events.next(); event !== undefined; event = await events.next()) {
              lastId = event.id;
              if (event.message === undefined) continue;
              seen.push(event.message.params?.["data"] ?? "answer");
              return event.message;
            }
            return undefined;
          };
          await take();
          for (const [at, most] of moves) {
            for (let step = 0; step < most && seen.length < count; step += 1) {
              gates[seen.length - 1]?.resolve();
              await take();
            }
            await events.cancel();
            events = new Events(
              await insist(
                nodes,
                () => at,
                () => client.get(lastId),
              ),
            );
          }
          for (const gate of gates) gate.resolve();
          while ((await take()) !== undefined);
          expect(seen).toEqual([...Array.from({ length: count }, (_, step) => step), "answer"]);
          engine.calm();
          await nodes.close();
        },
      ),
      RUNS,
    ),
  );

  test("a client learns of the last change, wherever it watches and listens", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        network,
        node,
        node,
        node,
        fc.integer({ min: 1, max: 5 }),
        async (faults, at, to, from, times) => {
          const uri = "note://today";
          let version = 0;
          const fixture = (): Fixture =>
            createFixture({ resources: { note: resource({ uri, read: () => `${version}` }) } });
          const engine = createFaultyEngine(faults);
          const nodes = startNodes(NODES, { engine, fixture });
          const client = await openSurely(nodes);
          const events = new Events(
            await insist(
              nodes,
              () => at,
              () => client.get(),
            ),
          );
          const subscribed = await insist(
            nodes,
            () => to,
            () => client.request("resources/subscribe", { uri }),
          );
          expect(subscribed.status).toBe(200);
          for (let time = 0; time < times; time += 1) {
            version += 1;
            nodeAt(nodes.nodes, from).server.resources.updated(uri);
          }
          engine.calm();
          let seen = -1;
          while (seen < version) {
            const message = await events.message();
            expect(message).toBeDefined();
            if (message?.method !== "notifications/resources/updated") continue;
            const response = await insist(
              nodes,
              () => to,
              () => client.request("resources/read", { uri }),
            );
            const { result } = (await response.json()) as { result: { contents: { text: string }[] } };
            seen = Number(result.contents[0]?.text);
          }
          await events.cancel();
          await nodes.close();
        },
      ),
      RUNS,
    ),
  );
});

/** Opens a session, however often that has to be tried. */
async function openSurely(nodes: Nodes): Promise<LegacyClient> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      return await openAt(nodes, tries % NODES);
    } catch {
      // The engine has failed; the client begins anew.
    }
  }
  throw new Error("No session could be opened.");
}
