/** Servers that were not written for these tests: the example of this repository, and the official SDK's own. */
import { fileURLToPath } from "node:url";
import { textOf, type Progress } from "@toolwire/client";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { host } from "./hosting.ts";
import { commandOf, ERAS } from "./servers.ts";

const EVERYTHING = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

test("the official server of everything is an upstream", async () => {
  const { connect, upstreams } = await host({
    everything: { command: process.execPath, args: [EVERYTHING, "stdio"], prefix: "every" },
  });
  for (const era of ERAS) {
    const fields: number[] = [];
    const client = await connect({
      era,
      elicitation: ({ requestedSchema }) => {
        const required = requestedSchema.required ?? [];
        fields.push(Object.keys(requestedSchema.properties).length);
        return { action: "accept", content: Object.fromEntries(required.map((name) => [name, "Ada"])) };
      },
      sampling: () => ({ role: "assistant", model: "test", content: { type: "text", text: "A sampled answer." } }),
      roots: [{ uri: "file:///work" }],
    });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("every_echo");
    expect(textOf(await client.callTool("every_echo", { message: "hi" }))).toContain("hi");
    await expect(client.callTool("every_echo", {})).resolves.toMatchObject({ isError: true });

    const reports: Progress[] = [];
    const long = names.find((name) => name.includes("long-running"));
    if (long !== undefined) {
      await client.callTool(long, { duration: 0.2, steps: 2 }, { onProgress: (report) => reports.push(report) });
      expect(reports.length).toBeGreaterThan(0);
    }
    const sample = names.find((name) => name.includes("sampling"));
    if (sample !== undefined) {
      const sampled = await client.callTool(sample, { prompt: "Say something", maxTokens: 10 });
      expect(JSON.stringify(sampled)).toContain("A sampled answer.");
    }
    // The server offers this tool only to clients that can answer. The form has many kinds of fields.
    const asked = await client.callTool("every_trigger-elicitation-request");
    expect(textOf(asked)).toContain("Ada");
    expect(fields[0]).toBeGreaterThan(5);
    const silent = await connect({ era, as: "silent" });
    const others = (await silent.listTools()).tools.map(({ name }) => name);
    expect(others).toContain("every_echo");
    expect(others).not.toContain("every_trigger-elicitation-request");
    await expect(silent.callTool("every_trigger-elicitation-request")).rejects.toThrow("every_trigger");
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(0);
    const [first] = resources;
    expect(first!.uri).toMatch(/^every\+/);
    await expect(client.readResource(first!.uri)).resolves.toMatchObject({ contents: [{ uri: first!.uri }] });
    const { prompts } = await client.listPrompts();
    expect(prompts.length).toBeGreaterThan(0);
  }
  expect(upstreams[0]!.status()).toMatchObject({ state: "connected" });
});

test("the example server is an upstream", async () => {
  const { connect, upstreams } = await host({
    example: commandOf("../../../apps/example-server/src/main.ts", "stdio"),
  });
  // Nothing waits for as long as it may take to compile it.
  await eventually(async () => {
    await upstreams[0]!.ready();
    expect(upstreams[0]!.status()).toMatchObject({ state: "connected" });
    expect(upstreams[0]!.status().tools).toBeGreaterThan(3);
  });
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(3);
  const { prompts } = await client.listPrompts();
  expect(prompts.length).toBeGreaterThan(0);
});
