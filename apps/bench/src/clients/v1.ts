/** The official client, version 1, which speaks the legacy era. */
import type { Transport } from "sdk-v1/shared/transport.js";
import { answerInMemory } from "../canned/memory.ts";
import { createFactory } from "../contenders/v1.ts";
import { echoText } from "../workload/requests.ts";
import { type ClientContender, type ClientTarget, textOf } from "./client.ts";

export const client: ClientContender = {
  name: "v1",
  packages: ["sdk-v1"],
  offer: ({ isSerialized }) => (isSerialized === true ? "by reference" : { note: "legacy" }),
  async connect(target) {
    const { Client } = await import("sdk-v1/client/index.js");
    const connected = new Client({ name: "bench", version: "1.0.0" });
    await connected.connect(await openTransport(target));
    const text = echoText(target.bytes);
    return async () =>
      textOf((await connected.callTool({ name: "echo", arguments: { text } })) as { content: unknown });
  },
};

async function openTransport(target: ClientTarget): Promise<Transport> {
  if (target.transport === "http") {
    const { StreamableHTTPClientTransport } = await import("sdk-v1/client/streamableHttp.js");
    return new StreamableHTTPClientTransport(new URL(target.url)) as Transport;
  }
  if (target.transport === "stdio") {
    const { StdioClientTransport } = await import("sdk-v1/client/stdio.js");
    const [command = "", ...args] = target.command;
    return new StdioClientTransport({ command, args });
  }
  if (target.transport === "websocket") {
    const { WebSocket } = await import("ws");
    // It was written for browsers and takes the socket from the global scope, where Node 20 has none.
    Object.assign(globalThis, { WebSocket });
    const { WebSocketClientTransport } = await import("sdk-v1/client/websocket.js");
    return new WebSocketClientTransport(new URL(target.url));
  }
  const { InMemoryTransport } = await import("sdk-v1/inMemory.js");
  const [near, far] = InMemoryTransport.createLinkedPair();
  if (target.server === "own") {
    const build = await createFactory({ tools: 2 });
    await build().connect(far);
  } else {
    const answer = answerInMemory(target.bytes);
    const onmessage = (message: object): void => {
      const response = answer(message);
      if (response !== undefined) void far.send(response as Parameters<typeof far.send>[0]);
    };
    Object.assign(far, { onmessage });
    await far.start();
  }
  return near;
}
