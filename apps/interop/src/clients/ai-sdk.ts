// A client on Vercel's AI SDK. In the mode `legacy`, it does not probe for 2026-07-28.

import { readAnswer, readMessages, textOf, type Driver } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { importFetched } from "../fetched/import-fetched.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

interface AiSdk {
  readonly createMCPClient: (config: object) => Promise<AiSdkClient>;
  readonly ElicitationRequestSchema: unknown;
}

interface AiSdkClient {
  tools(): Promise<{ readonly [name: string]: { execute(args: object, options: object): Promise<unknown> } }>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  readResource(args: { readonly uri: string }): Promise<{ readonly contents: unknown }>;
  getPrompt(args: { readonly name: string; readonly arguments: object }): Promise<object>;
  onElicitationRequest(schema: unknown, handler: () => object): void;
  close(): Promise<void>;
}

await runTask(async (task): Promise<Driver> => {
  const { createMCPClient, ElicitationRequestSchema } = await importFetched<AiSdk>("@ai-sdk/mcp");
  const client = await createMCPClient({
    transport: await makeTransport(task),
    capabilities: { elicitation: {} },
    protocolVersionDiscovery: task.mode !== "legacy",
  });
  client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: "accept", content: { name: ANSWER } }));
  // Calls go through the tools that the SDK hands to a model.
  const tools = await client.tools();
  return {
    canAnswer: true,
    listTools: async () => Object.keys(await client.tools()),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    callTool: async (name, args, { signal } = {}) =>
      readAnswer(await tools[name]?.execute(args, { toolCallId: "1", messages: [], abortSignal: signal })),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: async (name, args) => readMessages(await client.getPrompt({ name, arguments: args })),
    close: () => client.close(),
  };
});

async function makeTransport(task: ClientTask): Promise<object> {
  if (task.transport !== "stdio") return { type: task.transport, url: urlOf(task).href };
  const { StdioMCPTransport } = await importFetched<{ readonly StdioMCPTransport: new (config: object) => object }>(
    "@ai-sdk/mcp/mcp-stdio",
  );
  return new StdioMCPTransport(commandOf(task));
}
