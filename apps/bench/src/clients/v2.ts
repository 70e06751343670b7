/** The official client, version 2, told to speak the modern era. */
import type { Transport } from "@modelcontextprotocol/client";
import { answerInMemory } from "../canned/memory.ts";
import { createFactory } from "../contenders/v2.ts";
import { echoText } from "../workload/requests.ts";
import { type ClientContender, type ClientTarget, textOf } from "./client.ts";

export const client: ClientContender = {
  name: "v2",
  packages: ["@modelcontextprotocol/client"],
  offer({ transport, isSerialized }) {
    if (transport === "websocket") return "no WebSocket";
    return isSerialized === true ? "by reference" : {};
  },
  async connect(target) {
    const { Client } = await import("@modelcontextprotocol/client");
    const connected = new Client(
      { name: "bench", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await connected.connect(await openTransport(target));
    const text = echoText(target.bytes);
    return async () => textOf(await connected.callTool({ name: "echo", arguments: { text } }));
  },
};

async function openTransport(target: ClientTarget): Promise<Transport> {
  if (target.transport === "http") {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    return new StreamableHTTPClientTransport(new URL(target.url));
  }
  if (target.transport === "stdio") {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const [command = "", ...args] = target.command;
    return new StdioClientTransport({ command, args });
  }
  if (target.transport === "websocket") throw new Error("There is no WebSocket transport.");
  const { InMemoryTransport } = await import("@modelcontextprotocol/client");
  const [near, far] = InMemoryTransport.createLinkedPair();
  if (target.server === "own") {
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    serveStdio(await createFactory({ tools: 2 }), { transport: far });
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
