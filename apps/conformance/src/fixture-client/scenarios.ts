import type { Client } from "@toolwire/client";
import { z } from "zod";
import { authScenarios } from "./auth-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { skillScenarios } from "./skill-scenarios.ts";

/** The scenarios by name; those for which listing the tools is enough come first. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ["initialize", { run: listTools }],
  ["json-schema-ref-no-deref", { run: listTools }],
  [
    "request-metadata",
    {
      options: {
        elicitation: () => ({ action: "decline" }),
        sampling: () => ({ role: "assistant", content: { type: "text", text: "Hello" }, model: "none" }),
        roots: [{ uri: "file:///project" }],
      },
      run: listTools,
    },
  ],
  [
    "tools_call",
    {
      async run(client) {
        await listTools(client);
        await client.callTool("add_numbers", { a: 5, b: 3 });
      },
    },
  ],
  [
    "elicitation-sep1034-client-defaults",
    {
      // A form that is accepted as it is takes the defaults of the server.
      options: { elicitation: () => ({ action: "accept" }) },
      async run(client) {
        await listTools(client);
        await client.callTool("test_client_elicitation_defaults");
      },
    },
  ],
  [
    "sse-retry",
    {
      async run(client) {
        await listTools(client);
        await client.callTool("test_reconnection");
      },
    },
  ],
  [
    "sep-2322-client-request-state",
    {
      options: { elicitation: () => ({ action: "accept", content: { confirmed: true } }) },
      async run(client) {
        await listTools(client);
        await Promise.all([client.callTool("test_mrtr_echo_state"), client.callTool("test_mrtr_unrelated")]);
        await client.callTool("test_mrtr_no_state");
        await client.callTool("test_mrtr_no_result_type");
      },
    },
  ],
  ["http-standard-headers", { run: useEverything }],
  [
    "http-custom-headers",
    {
      async run(client, context) {
        // Which arguments go into headers is known from the list.
        await listTools(client);
        const { toolCalls } = CallsContext.parse(context);
        for (const { name, arguments: args } of toolCalls) await client.callTool(name, args);
      },
    },
  ],
  [
    "http-invalid-tool-headers",
    {
      async run(client) {
        const names = await listTools(client);
        if (names.join() !== "valid_tool") throw new Error(`Expected valid_tool alone, got ${names.join(", ")}`);
        await client.callTool("valid_tool", { region: "us-west1" });
      },
    },
  ],
  ...skillScenarios,
  ...authScenarios.map(({ name, prepare }) => [name, { prepare, run: useTestTool }] as const),
  [
    "json-schema-2020-12-preservation",
    {
      async run(client) {
        for await (const { name, inputSchema } of client.allTools()) {
          if (name === "json_schema_2020_12_tool") await client.callTool("json_schema_echo", { schema: inputSchema });
        }
      },
    },
  ],
]);

const CallsContext = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
});

/** The names of the server's tools. */
async function listTools(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.allTools()) names.push(name);
  return names;
}

/** Uses the one tool of a protected server, twice: a server may change its mind in between. */
async function useTestTool(client: Client): Promise<void> {
  await listTools(client);
  await client.callTool("test-tool");
}

/** Lists everything, and uses each thing that is listed once. */
async function useEverything(client: Client): Promise<void> {
  for await (const { name } of client.allTools()) await client.callTool(name, {});
  for await (const { uri } of client.allResources()) await client.readResource(uri);
  for await (const { name } of client.allPrompts()) await client.getPrompt(name);
}
