import type { Client } from "@toolwire/client";

/** The least that a server can answer to each method that `askEverything` uses. */
export const EMPTY_ANSWERS = {
  "tools/list": { tools: [] },
  "tools/call": { content: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [] },
  "prompts/list": { prompts: [] },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: [] } },
};

/** Sends one request of each kind that a client of the modern era has a method for. */
export async function askEverything(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool("tool");
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource("file:///a");
  await client.listPrompts();
  await client.getPrompt("prompt");
  await client.complete({ type: "ref/prompt", name: "prompt" }, { name: "a", value: "" });
  await client.discover();
}
