/** Toolwire's client; in memory, with Toolwire's server. */
import type { ConnectTarget } from "@toolwire/client";
import { echoText } from "../workload/requests.ts";
import { defineServer } from "../contenders/toolwire.ts";
import { answerInMemory } from "../canned/memory.ts";
import { type ClientContender, type ClientTarget, textOf } from "./client.ts";

export const client: ClientContender = {
  name: "toolwire",
  packages: ["@toolwire/client"],
  offer: () => ({}),
  async connect(target) {
    const { connect } = await import("@toolwire/client");
    const connected = await connect(await openTarget(target));
    const text = echoText(target.bytes);
    return async () => textOf(await connected.callTool("echo", { text }));
  },
};

async function openTarget(target: ClientTarget): Promise<ConnectTarget> {
  if (target.transport === "http" || target.transport === "websocket") return target.url;
  if (target.transport === "stdio") {
    const [command = "", ...args] = target.command;
    return { command, args };
  }
  if (target.server === "own" && target.isSerialized === true) {
    const { serveInMemory } = await import("@toolwire/server/memory");
    return serveInMemory(await defineServer({ tools: 2 }));
  }
  const { createMemoryChannels } = await import("@toolwire/protocol");
  const [near, far] = createMemoryChannels();
  if (target.server === "own") {
    const { serveChannel } = await import("@toolwire/server/channel");
    serveChannel(await defineServer({ tools: 2 }), far);
  } else {
    const answer = answerInMemory(target.bytes);
    const receive = (message: object): void => {
      const response = answer(message);
      if (response !== undefined) void far.send(response as Parameters<typeof far.send>[0]);
    };
    void far.open({ message: receive, batch: () => {}, malformed: () => {}, closed: () => {} });
  }
  return near;
}
