import { Multiplexer } from "@toolwire/protocol/internal";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { TURN_MESSAGES } from "../../../protocol/src/channels/turn-limit.ts";
import { getTool, startLocal } from "../local-gateway.ts";

/** Messages that a server may send without end, by what they are. */
const FLOODS = {
  "announcements of lists": { method: "notifications/tools/list_changed" },
  requests: { id: 5, method: "ping" },
  "responses to nothing": { id: 70_000, result: {} },
} as const;

/** Counts the messages that all connections of this process handle between two turns of the event loop. */
function countPerTurn(): { most: number; all: number } {
  const counted = { most: 0, all: 0 };
  let before = 0;
  const { message } = Multiplexer.prototype;
  Multiplexer.prototype.message = function (this: Multiplexer, received) {
    counted.all += 1;
    return message.call(this, received);
  };
  let isOver = false;
  const look = (): void => {
    counted.most = Math.max(counted.most, counted.all - before);
    before = counted.all;
    if (!isOver) setImmediate(look);
  };
  look();
  onTestFinished(() => {
    isOver = true;
    Multiplexer.prototype.message = message;
  });
  return counted;
}

test.each(Object.entries(FLOODS))(
  "an upstream that sends %s without end takes only its share, and other servers go on",
  async (_, message) => {
    const api = createHttpServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void api.close());
    const path = fileURLToPath(new URL("fixtures/flooding-server.mjs", import.meta.url));
    const args = [path, JSON.stringify({ jsonrpc: "2.0", ...message })];
    await using local = await startLocal({
      flooding: { upstreams: { one: { command: process.execPath, args } } },
      other: { tools: { get: getTool(`http://127.0.0.1:${(api.address() as AddressInfo).port}/`) } },
    });
    await expect(local.list("flooding")).resolves.toEqual(["flood"]);
    const counted = countPerTurn();
    await expect(local.call("flooding", "flood")).resolves.toMatchObject({ text: "It begins." });
    // Until the flood has filled many shares.
    while (counted.all < 20 * TURN_MESSAGES) {
      await expect(local.call("other", "get")).resolves.toMatchObject({ text: "hello" });
    }
    // One share before the turns are counted in a turn, and one after.
    expect(counted.most).toBeLessThanOrEqual(2 * TURN_MESSAGES);
  },
);
