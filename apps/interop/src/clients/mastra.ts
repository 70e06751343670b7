// A client on Mastra. In the mode `legacy`, it does not probe for 2026-07-28.

import { readMessages, textOf, type Driver, type ToolAnswer } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { importFetched } from "../fetched/import-fetched.ts";
import { commandOf, runTask, urlOf } from "./task.ts";

interface Mastra {
  readonly MCPClient: new (options: object) => MastraClient;
  /** Returns the `content` of a result. Tools return only `structuredContent` if there is any. */
  readonly getMcpCallToolContent: (output: unknown) => unknown;
}

interface MastraClient {
  readonly progress: { onUpdate(server: string, listener: () => void): Promise<void> };
  readonly resources: {
    list(): Promise<{ readonly [server: string]: readonly { readonly uri: string }[] }>;
    read(server: string, uri: string): Promise<{ readonly contents: unknown }>;
  };
  readonly prompts: {
    list(): Promise<{ readonly [server: string]: readonly { readonly name: string }[] }>;
    get(request: object): Promise<object>;
  };
  listToolsets(): Promise<{ readonly [server: string]: { readonly [tool: string]: MastraTool } }>;
  disconnect(): Promise<void>;
}

interface MastraTool {
  execute(args: object, context: { readonly abortSignal?: AbortSignal | undefined }): Promise<unknown>;
}

await runTask(async (task): Promise<Driver> => {
  const { MCPClient, getMcpCallToolContent } = await importFetched<Mastra>("@mastra/mcp");
  const ours = {
    ...(task.transport === "stdio" ? commandOf(task) : { url: urlOf(task) }),
    ...(task.mode === "legacy" && { protocolVersion: "legacy" }),
    enableProgressTracking: true,
    inputRequests: () => Promise.resolve({ action: "accept", content: { name: ANSWER } }),
  };
  const client = new MCPClient({ servers: { ours } });
  // There is one progress callback for all calls, without the name of the tool. The steps use it for one call at a time.
  let listener: (() => void) | undefined;
  await client.progress.onUpdate("ours", () => listener?.());
  const tools = (await client.listToolsets())["ours"] ?? {};
  return {
    canAnswer: true,
    listTools: async () => Object.keys((await client.listToolsets())["ours"] ?? {}),
    listResources: async () => ((await client.resources.list())["ours"] ?? []).map(({ uri }) => uri),
    listPrompts: async () => ((await client.prompts.list())["ours"] ?? []).map(({ name }) => name),
    async callTool(name, args, { signal, onProgress } = {}): Promise<ToolAnswer> {
      if (onProgress !== undefined) listener = onProgress;
      try {
        const output = await tools[name]?.execute(args, { abortSignal: signal });
        const content = getMcpCallToolContent(output) ?? (output as { readonly content?: unknown }).content;
        return { text: textOf(content), isError: false, structured: output };
      } catch (error) {
        const { id, message } = error as Error & { readonly id?: string };
        if (id === "MCP_CLIENT_TOOL_EXECUTION_FAILED") return { text: message, isError: true };
        throw error;
      }
    },
    readResource: async (uri) => textOf((await client.resources.read("ours", uri)).contents),
    getPrompt: async (name, args) => readMessages(await client.prompts.get({ serverName: "ours", name, args })),
    close: () => client.disconnect(),
  };
});
