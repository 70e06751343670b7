import { readFileSync } from "node:fs";
import { MessageChannel as ThreadChannel } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { Caller, Multiplexer } from "../../src/internal.ts";
import { TransportError } from "../../src/index.ts";
import { RecordingReceiver } from "../channels/recording-receiver.ts";
import { createPortChannel } from "./port-channel.ts";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it("the port channel in the README is the one that is tested here", () => {
  const example = read("port-channel.ts")
    .replaceAll("../../src/index.ts", "@toolwire/protocol")
    .replaceAll("../../src/channels/index.ts", "@toolwire/protocol/channels");
  expect(read("../../README.md")).toContain(`\`\`\`ts\n${example}\`\`\``);
});

// The two have different types: those of the web, and those of Node.
describe.each([
  ["the web", () => new MessageChannel()],
  ["node:worker_threads", () => new ThreadChannel()],
])("the port channel in the README, over ports of %s", (_, createPorts) => {
  function connect(): { caller: Caller; near: Multiplexer; far: Multiplexer; farEnded: Promise<Error | undefined> } {
    const { port1, port2 } = createPorts();
    const near = new Multiplexer(createPortChannel(port1, "client"));
    const far = new Multiplexer(createPortChannel(port2, "server"));
    void near.open({});
    const farEnded = new Promise<Error | undefined>((resolve) => {
      void far.open({
        closed: resolve,
        rules: { allowsBatch: () => true },
        request({ id, params, method }, reply) {
          if (method === "echo") reply.respond({ jsonrpc: "2.0", id, result: { ...params } });
          return { cancel() {} };
        },
      });
    });
    return { caller: new Caller(near), near, far, farEnded };
  }

  it("carries requests and responses", async () => {
    const { caller, near } = connect();
    expect(await Promise.all([caller.call("echo", { n: 1 }), caller.call("echo", { n: 2 })])).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
    await near.close();
  });

  it("carries batches of 2025-03-26, and the array of answers", async () => {
    const { port1, port2 } = createPorts();
    const far = new Multiplexer(createPortChannel(port2, "server"));
    void far.open({
      rules: { allowsBatch: () => true },
      request({ id, params }, reply) {
        reply.respond({ jsonrpc: "2.0", id, result: { ...params } });
        return { cancel() {} };
      },
    });
    const receiver = new RecordingReceiver();
    const near = createPortChannel(port1, "client");
    void near.open(receiver);
    onTestFinished(() => near.close());
    const echo = (id: number) => ({ jsonrpc: "2.0", id, method: "echo", params: { n: id } });
    port1.postMessage(JSON.stringify([echo(1), echo(2)]));
    await receiver.until(() => receiver.batches.length > 0 || receiver.messages.length > 0);
    expect(receiver.batches).toMatchObject([
      [
        { id: 1, result: { n: 1 } },
        { id: 2, result: { n: 2 } },
      ],
    ]);
  });

  it.each([
    ["server", [{ error: { code: -32700 } }]],
    ["client", []],
  ] as const)("tells a %s of what is no message, and lets the engine answer: %j", async (side, answers) => {
    const { port1, port2 } = createPorts();
    const [near, far] = [new RecordingReceiver(), new RecordingReceiver()];
    const multiplexer = new Multiplexer(createPortChannel(port2, side));
    void multiplexer.open({ violation: (error) => far.malformed(error as never) });
    const channel = createPortChannel(port1, "client");
    void channel.open(near);
    onTestFinished(() => channel.close());
    port1.postMessage("nonsense");
    port1.postMessage(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "any" }));
    await near.until(() => near.messages.some((message) => "id" in message && message.id === 1));
    expect(far.complaints).toHaveLength(1);
    expect(near.messages.filter((message) => !("id" in message))).toMatchObject(answers);
  });

  it("tells both sides that the connection has ended, and sends nothing more", async () => {
    const { caller, near, far, farEnded } = connect();
    const pending = expect(caller.call("wait", {})).rejects.toMatchObject({ code: "CLOSED" });
    await near.close();
    await pending;
    expect(await farEnded).toBeUndefined();
    expect(() => far.notify({ jsonrpc: "2.0", method: "m" })).toThrow(TransportError);
    await far.close();
  });

  it("delivers what was sent before the end, and nothing after it, and tells of the end once", async () => {
    const { port1, port2 } = createPorts();
    const [near, far] = [createPortChannel(port1, "client"), createPortChannel(port2, "server")];
    const [nearReceiver, farReceiver] = [new RecordingReceiver(), new RecordingReceiver()];
    void near.open(nearReceiver);
    void far.open(farReceiver);
    void far.send({ jsonrpc: "2.0", method: "late" });
    void near.send({ jsonrpc: "2.0", method: "last" });
    await near.close();
    await near.close();
    await farReceiver.until(() => farReceiver.endings.length > 0);
    expect(farReceiver.messages).toMatchObject([{ method: "last" }]);
    expect([nearReceiver.messages, nearReceiver.endings, farReceiver.endings]).toEqual([[], [undefined], [undefined]]);
  });
});
