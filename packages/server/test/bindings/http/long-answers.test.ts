import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { modern, readJson } from "./client.ts";
import { PLATFORMS, type Target } from "./platforms.ts";

const description = "Überall gültig. ".repeat(100);
const names = Array.from({ length: 20 }, (_, number) => `tool_${number}`);

describe.each(PLATFORMS)("answers that are prepared as bytes, on $name", ({ start }) => {
  async function serve(responseMode: "auto" | "sse"): Promise<Target> {
    const tools = Object.fromEntries(names.map((name) => [name, tool({ description, run: () => name })]));
    return start(createServer({ name: "long", version: "1", tools }), { responseMode });
  }

  test("are whole, every time, with the id of their request", async () => {
    const target = await serve("auto");
    for (const id of [1, "ü-2"]) {
      const response = await target.send(modern("tools/list", {}, { id }));
      const { id: answered, result } = await readJson(response);
      expect(answered).toBe(id);
      expect(result?.["tools"]).toEqual(names.map((name) => expect.objectContaining({ name, description })));
    }
  });

  test("are events where events are wanted", async () => {
    const target = await serve("sse");
    const response = await target.send(modern("tools/list"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toContain(description);
  });
});
