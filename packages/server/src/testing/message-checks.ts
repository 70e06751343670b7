import type { Cluster } from "../cluster/cluster.ts";
import { TEXT } from "./session-checks.ts";
import { expect, expectSame, hear, type ClusterCheck, type ClusterContractOptions, type Trial } from "./trial.ts";

/** How long requests wait that are answered, and those that nobody answers, in milliseconds. */
const WAIT = { timeout: 3000 };
const BRIEF_WAIT = { timeout: 100 };

/** Bodies that have to arrive as they are. */
const BODIES: readonly unknown[] = [null, true, 0, -1.5, "", TEXT, [], {}, { "": [null, { deep: [[1]] }], text: TEXT }];

/** The checks of messages between nodes. */
export function messageChecks({ maxMessageBytes }: ClusterContractOptions): ClusterCheck[] {
  const checks: ClusterCheck[] = [
    {
      name: "Nodes have different names of 10 characters.",
      async run(trial) {
        const nodes = await trial.connectThree();
        const names = nodes.map(({ node }) => node);
        expect(new Set(names).size === names.length, "Two nodes have the same name.");
        expect(
          names.every((name) => /^[a-z0-9]{10}$/.test(name)),
          `The name of a node does not consist of 10 characters of \`a-z 0-9\`: ${names.join(", ")}.`,
        );
        expect(
          nodes.every(({ bus }) => bus.isUp),
          "`isUp` is false, although the engine can be reached.",
        );
      },
    },
    {
      name: "A request reaches the node that it is for, and nobody else, and returns its reply.",
      async run(trial) {
        const [one, other, third] = await trial.connectThree();
        const hearing = hear(other, { reply: ({ body }) => ({ echo: body }) });
        const beside = hear(third);
        for (const body of BODIES) {
          const message = { id: trial.name(), kind: "echo", body };
          expectSame(await send(trial, one, other, message), { echo: body }, "A reply");
          const { message: heard, from } = hearing.messages.at(-1) ?? {};
          expectSame({ ...heard }, message, "A message");
          expect(from === one.node, "A listener was told of another sender.");
        }
        expect(hearing.messages.length === BODIES.length, "A message was handled more than once.");
        expect(beside.messages.length === 0, "A message for one node was heard by another.");
      },
    },
    {
      name: "A node can send a request to itself.",
      async run(trial) {
        const node = await trial.connect();
        const hearing = hear(node, { reply: () => "here" });
        expectSame(await send(trial, node, node, { id: trial.name(), kind: "x", body: 1 }), "here", "A reply");
        expect(hearing.messages[0]?.from === node.node, "A message of the node itself has another sender.");
      },
    },
    {
      name: "A reply may be a promise, and is `null` if nobody replies.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        const message = () => ({ id: trial.name(), kind: "x", body: {} });
        expectSame(await send(trial, one, other, message()), null, "The reply of a node without a listener");
        const silent = hear(other);
        expectSame(await send(trial, one, other, message()), null, "The reply of a listener that returns `undefined`");
        const second = hear(other, { reply: () => Promise.resolve({ late: true }) });
        expectSame(await send(trial, one, other, message()), { late: true }, "The reply of the second listener");
        expect(silent.messages.length === 2, "The first listener did not hear a message that the second replied to.");
        second.stop();
        silent.stop();
        expectSame(await send(trial, one, other, message()), null, "The reply when all listeners have ended");
        expect(second.messages.length === 1, "A listener that has ended has heard a message.");
      },
    },
    {
      name: "A message that is sent again is handled once, and has the same reply.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        let replied = 0;
        let release = (): void => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        const hearing = hear(other, { reply: () => released.then(() => ++replied) });
        const message = { id: trial.name(), kind: "count", body: {} };
        const atOnce = Array.from({ length: 5 }, () => send(trial, one, other, message));
        await trial.until(
          () => hearing.messages.length > 0,
          () => "A message did not arrive.",
        );
        release();
        expectSame(
          await Promise.all(atOnce),
          [1, 1, 1, 1, 1],
          "The replies to a message that was sent five times at once",
        );
        expectSame(await send(trial, one, other, message), 1, "The reply to a message that was sent again later");
        const next = await send(trial, one, other, { ...message, id: trial.name() });
        expectSame(next, 2, "The reply to another message");
        expect(hearing.messages.length === 2, "A message was handled again because it was sent again.");
      },
    },
    {
      name: "Many requests at once, both ways, each get their own reply.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        for (const node of [one, other]) hear(node, { reply: ({ body }) => body });
        const bodies = Array.from({ length: 200 }, (_, number) => number);
        const replies = bodies.map((body) => {
          const [from, to] = body % 2 === 0 ? [one, other] : [other, one];
          return send(trial, from, to, { id: trial.name(), kind: "echo", body });
        });
        expectSame(await Promise.all(replies), bodies, "The replies to 200 requests");
      },
    },
    {
      name: "A body of 200 kilobytes arrives whole, and so does the reply.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        hear(other, { reply: ({ body }) => body });
        const body = "\u65e5\u672c \ud83d\ude80 ".repeat(16_000);
        const reply = await send(trial, one, other, { id: trial.name(), kind: "echo", body });
        expect(reply === body, "A body of 200 kilobytes came back changed.");
      },
    },
    {
      name: "A request to a node that has ended is refused with NODE_GONE.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        await trial.settle(other.close(), "`close` of a node did not resolve in time.");
        const late = one.bus.request(other.node, { id: trial.name(), kind: "x", body: {} }, WAIT);
        await trial.expectRefusal(late, ["NODE_GONE"], "A request to a node that has ended");
      },
    },
    {
      name: "A request to a node that ends meanwhile is refused.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        const hearing = hear(other, { reply: () => new Promise(() => {}) });
        const asked = one.bus.request(other.node, { id: trial.name(), kind: "x", body: {} }, { timeout: 1000 });
        const refused = trial.expectRefusal(asked, ["NODE_GONE", "TIMEOUT"], "A request to a node that ends meanwhile");
        refused.catch(() => {});
        await trial.until(
          () => hearing.messages.length > 0,
          () => "A message did not arrive.",
        );
        await trial.settle(other.close(), "`close` of a node that owes a reply did not resolve in time.");
        await refused;
      },
    },
    {
      name: "A request that nobody replies to in time is refused with TIMEOUT.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        hear(other, { reply: () => new Promise(() => {}) });
        const asked = one.bus.request(other.node, { id: trial.name(), kind: "x", body: {} }, BRIEF_WAIT);
        await trial.expectRefusal(asked, ["TIMEOUT"], "A request without a reply");
      },
    },
    {
      name: "A broadcast reaches all other nodes, each at most once.",
      async run(trial) {
        const nodes = await trial.connectThree();
        const hearings = nodes.map((node) => hear(node, { reply: () => "dropped" }));
        const message = { id: trial.name(), kind: "news", body: { text: TEXT } };
        for (let times = 0; times < 2; times++) await nodes[0].bus.broadcast(message);
        await trial.until(
          () => hearings.slice(1).every(({ messages }) => messages.length > 0),
          () => "A broadcast did not reach all other nodes.",
        );
        // A later broadcast has the time that a second delivery of the first one would need.
        const later = { id: trial.name(), kind: "news", body: 2 };
        await nodes[0].bus.broadcast(later);
        await trial.until(
          () => hearings.slice(1).every(({ messages }) => messages.some((each) => each.message.id === later.id)),
          () => "A second broadcast did not reach all other nodes.",
        );
        for (const { messages } of hearings.slice(1)) {
          expectSame({ ...messages[0]?.message }, message, "A broadcast");
          expect(messages[0]?.from === nodes[0].node, "A broadcast has another sender.");
          expect(messages.length === 2, "A broadcast with the same id was handled more than once.");
        }
        expect(hearings[0]?.messages.length === 0, "A broadcast reached the node that had sent it.");
      },
    },
    {
      name: "Closing a node twice is no error, and the others go on.",
      async run(trial) {
        const [one, other, third] = await trial.connectThree();
        for (let times = 0; times < 2; times++) await trial.settle(one.close(), "`close` did not resolve in time.");
        hear(third, { reply: () => "here" });
        expectSame(await send(trial, other, third, { id: trial.name(), kind: "x", body: 1 }), "here", "A reply");
      },
    },
  ];
  if (maxMessageBytes !== undefined) checks.push(tooLargeCheck(maxMessageBytes));
  return checks;
}

function tooLargeCheck(maxMessageBytes: number): ClusterCheck {
  return {
    name: "A message that is larger than the engine takes is refused with TOO_LARGE.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const hearing = hear(other);
      const message = { id: trial.name(), kind: "x", body: "x".repeat(maxMessageBytes) };
      await trial.expectRefusal(one.bus.request(other.node, message, WAIT), ["TOO_LARGE"], "A large request");
      await trial.expectRefusal(one.bus.broadcast(message), ["TOO_LARGE"], "A large broadcast");
      expectSame(await send(trial, one, other, { ...message, body: 1 }), null, "The reply to a small request");
      expect(hearing.messages.length === 1, "A message that was refused has been handled.");
    },
  };
}

type Message = Parameters<Cluster["bus"]["request"]>[1];

function send(trial: Trial, from: Cluster, to: Cluster, message: Message): Promise<unknown> {
  return trial.settle(from.bus.request(to.node, message, WAIT), "A request was neither answered nor refused in time.");
}
