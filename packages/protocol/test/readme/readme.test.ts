import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Caller, Multiplexer } from "../../src/engine/index.ts";
import { TransportError } from "../../src/index.ts";
import { createPortChannel } from "./port-channel.ts";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

describe("the transport in the README", () => {
  it("is the one that is tested here", () => {
    const example = read("port-channel.ts").replaceAll("../../src/index.ts", "@toolwire/protocol");
    expect(read("../../README.md")).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  function connect(): { caller: Caller; near: Multiplexer; far: Multiplexer; farEnded: Promise<Error | undefined> } {
    const { port1, port2 } = new MessageChannel();
    const near = new Multiplexer(createPortChannel(port1));
    const far = new Multiplexer(createPortChannel(port2));
    void near.open({});
    const farEnded = new Promise<Error | undefined>((resolve) => {
      void far.open({
        closed: resolve,
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

  it("tells both sides that the connection has ended, and sends nothing more", async () => {
    const { caller, near, far, farEnded } = connect();
    const pending = expect(caller.call("wait", {})).rejects.toMatchObject({ code: "CLOSED" });
    await near.close();
    await pending;
    expect(await farEnded).toBeUndefined();
    expect(() => far.notify({ jsonrpc: "2.0", method: "m" })).toThrow(TransportError);
    await far.close();
  });
});
