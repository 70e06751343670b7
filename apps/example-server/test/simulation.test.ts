import type { Change, Client } from "@toolwire/client";
import type { LogMessageParams } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { useServer } from "./use-server.ts";

const { start } = useServer();

describe("things that can be switched on", () => {
  test("toggle-simulated-logging brings a message with each call, of the severities that are asked for", async () => {
    const client = await start();
    const messages: LogMessageParams[] = [];
    const echo = (): Promise<unknown> =>
      client.callTool("echo", { message: "x" }, { onLog: (message) => messages.push(message), logLevel: "error" });
    await echo();
    expect(messages).toEqual([]);
    await client.callTool("toggle-simulated-logging");
    for (let call = 0; call < 8; call++) await echo();
    expect(messages.map(({ level }) => level)).toEqual(["error", "critical", "alert", "emergency"]);
    await client.callTool("toggle-simulated-logging");
    await echo();
    expect(messages).toHaveLength(4);
  });

  test.each(["2025-11-25", "2026-07-28"] as const)(
    "toggle-subscriber-updates makes the heartbeat change (%s)",
    async (revision) => {
      const client = await start({ revision });
      const uri = "demo://resource/heartbeat";
      const before = await readBeats(client, uri);
      const changed = new Promise<Change>((resolve) => {
        void client.subscribe({ uris: [uri] }, resolve).then(() => client.callTool("toggle-subscriber-updates"));
      });
      expect(await changed).toEqual({ kind: "resource", uri });
      expect(await readBeats(client, uri)).toBeGreaterThan(before);
      await client.callTool("toggle-subscriber-updates");
    },
  );
});

async function readBeats(client: Client, uri: string): Promise<number> {
  const { contents } = await client.readResource(uri, { fresh: true });
  return JSON.parse((contents[0] as { text: string }).text).beats;
}
