import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { LegacyClient } from "../../wire-client.ts";

const server = createServer({
  name: "s",
  version: "1",
  onDiagnostic: () => {},
  tools: { t: tool({ run: () => "t" }) },
});

describe("a message whose id cannot be read", () => {
  test("is answered without an id where the revision has such answers", async () => {
    const client = await LegacyClient.open(server, { revision: "2025-11-25" });
    client.sendText("{");
    await client.until(() => client.received.some((message) => "error" in message && message.id === undefined));
    expect(await client.callTool("t")).toMatchObject({ content: [{ text: "t" }] });
  });

  test.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)(
    "is not answered in %s, whose errors need an id",
    async (revision) => {
      const client = await LegacyClient.open(server, { revision });
      client.sendText("{");
      expect(await client.callTool("t")).toMatchObject({ content: [{ text: "t" }] });
      expect(client.received.filter((message) => "error" in message)).toEqual([]);
    },
  );
});
