import { connect, type CallToolResult } from "@toolwire/client";
import { cleanText, createServer, jsonSchema, passOn, tool, UsageError } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { expect, onTestFinished, test } from "vitest";

const OUTPUT = jsonSchema<{ count: number }>({
  type: "object",
  properties: { count: { type: "number" } },
  required: ["count"],
});

async function callWith(result: CallToolResult, output?: typeof OUTPUT): Promise<unknown> {
  const server = createServer({
    name: "passing",
    version: "1.0.0",
    serverInfo: false,
    onDiagnostic() {},
    tools: { pass: tool({ description: "Passes a result on", ...(output && { output }), run: () => passOn(result) }) },
  });
  const client = await connect(serveInMemory(server), { validate: false });
  onTestFinished(() => client.close());
  return client.callTool("pass");
}

test("a result that is passed on is sent as it is, whether or not it fits the output of the tool", async () => {
  const text = { type: "text", text: "seven" } as const;
  for (const output of [undefined, OUTPUT]) {
    await expect(callWith({ content: [text] }, output)).resolves.toEqual({ content: [text], resultType: "complete" });
    const unfit = { content: [text], structuredContent: { count: "seven" }, _meta: { "com.example/key": 1 } };
    await expect(callWith(unfit, output)).resolves.toEqual({ ...unfit, resultType: "complete" });
    const failed = { content: [text], isError: true };
    await expect(callWith(failed, output)).resolves.toEqual({ ...failed, resultType: "complete" });
  }
});

test("only a result can be passed on", () => {
  expect(() => passOn({} as never)).toThrow(UsageError);
  expect(() => passOn("text" as never)).toThrow("with a list of `content`");
});

test("text of others is cleaned of terminal escapes, control characters and invisible text", () => {
  expect(cleanText("a\u001b[31mb\u0007c\u{e0041}d\u200be\n")).toBe("abcde\n");
});

test("a handler sees which log messages its client wants", async () => {
  const seen: unknown[] = [];
  const server = createServer({
    name: "logging",
    version: "1.0.0",
    tools: { look: tool({ description: "Looks", run: (_, { logLevel }) => void seen.push(logLevel) }) },
  });
  const client = await connect(serveInMemory(server));
  onTestFinished(() => client.close());
  await client.callTool("look");
  await client.callTool("look", {}, { logLevel: "warning" });
  const older = await connect(serveInMemory(server), { era: "legacy" });
  onTestFinished(() => older.close());
  await older.setLogLevel("debug");
  await older.callTool("look");
  expect(seen).toEqual([undefined, "warning", "debug"]);
});
