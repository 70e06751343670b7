import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Client } from "@toolwire/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSurvey, type SurveyCall } from "../../src/steps/survey-steps.ts";

let directory: string;
let client: Client | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "survey-"));
});
afterEach(async () => {
  await client?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Starts a server that has these capabilities and answers these requests, and nothing else. */
async function start(capabilities: object, answers: { readonly [method: string]: object }): Promise<Client> {
  const file = join(directory, "server.mjs");
  writeFileSync(
    file,
    `
      import { createInterface } from "node:readline";
      const answers = ${JSON.stringify({
        initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "test", version: "1" } },
        ...answers,
      })};
      for await (const line of createInterface(process.stdin)) {
        const { id, method } = JSON.parse(line);
        if (id === undefined) continue;
        const outcome = method in answers ? { result: answers[method] } : { error: { code: -32601, message: "Method not found" } };
        console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
      }
    `,
  );
  client = await connect({ command: process.execPath, args: [file] }, { era: "legacy" });
  return client;
}

const tool = { name: "greet", inputSchema: { type: "object" } };
const greeting = { content: [{ type: "text", text: "Hello!" }] };
const call: SurveyCall = { tool: "greet", args: {}, text: "Hello!" };

test("a server without resources and prompts is not asked for them", async () => {
  const server = await start({ tools: {} }, { "tools/list": { tools: [tool] }, "tools/call": greeting });

  expect(await runSurvey(server, [call], [])).toEqual({
    tools: "passed",
    schemas: "passed",
    resources: "impossible",
    templates: "impossible",
    prompts: "impossible",
    calls: "passed",
  });
});

test("a server that declares more than it has fails these steps alone", async () => {
  const server = await start(
    { tools: {}, resources: {}, prompts: {} },
    { "tools/list": { tools: [tool] }, "resources/list": { resources: [] } },
  );

  expect(await runSurvey(server, [], ["templates"])).toEqual({
    tools: "passed",
    schemas: "passed",
    resources: "passed",
    templates: { failed: expect.stringContaining("Method not found") },
    prompts: { failed: expect.stringContaining("Method not found") },
    calls: "impossible",
  });
});

test("a schema that cannot be used is found, and named by its tool", async () => {
  const broken = { ...tool, name: "broken", outputSchema: { type: "object", properties: { a: { type: "thing" } } } };
  const server = await start({ tools: {} }, { "tools/list": { tools: [tool, broken] } });

  const { schemas } = await runSurvey(server, [], []);

  expect(schemas).toEqual({ failed: expect.stringContaining("a schema of the tool broken cannot be used") });
});

test("a server without tools is found", async () => {
  const server = await start({ tools: {} }, { "tools/list": { tools: [] } });

  expect((await runSurvey(server, [], []))["tools"]).toEqual({ failed: "there are no tools" });
});

test("calls are judged by what they answer, and by whether that is an error", async () => {
  const lists = { "tools/list": { tools: [tool] } };
  const server = await start({ tools: {} }, { ...lists, "tools/call": { ...greeting, isError: true } });
  const judge = async (expected: SurveyCall): Promise<unknown> => (await runSurvey(server, [expected], []))["calls"];

  expect(await judge({ ...call, isError: true })).toBe("passed");
  expect(await judge(call)).toEqual({ failed: expect.stringMatching(/^greet answered .*, which is an error$/) });
  expect(await judge({ ...call, isError: true, text: "Bye" })).toEqual({
    failed: expect.stringContaining("does not contain Bye"),
  });
});
