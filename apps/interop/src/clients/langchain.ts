// A client on LangChain's MCP adapters. Calls go through the tools that they hand to an agent.

import { readMessages, textOf, type Driver } from "../steps/driver.ts";
import { importFetched } from "../fetched/import-fetched.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

interface Adapters {
  readonly MultiServerMCPClient: new (config: object) => MultiServerClient;
}

interface MultiServerClient {
  getTools(): Promise<LangChainTool[]>;
  listResources(): Promise<{ readonly [server: string]: readonly { readonly uri: string }[] }>;
  readResource(server: string, uri: string): Promise<unknown>;
  /** The underlying client of the official SDK. The adapters have no other way to get prompts. */
  getClient(server: string): Promise<{
    listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
    getPrompt(request: object): Promise<object>;
  }>;
  close(): Promise<void>;
}

interface LangChainTool {
  readonly name: string;
  invoke(call: object, config: { readonly signal?: AbortSignal }): Promise<ToolMessage>;
}

interface ToolMessage {
  readonly content: unknown;
  readonly artifact?: readonly { readonly type: string; readonly data?: unknown }[];
}

await runTask(async (task): Promise<Driver> => {
  const { MultiServerMCPClient } = await importFetched<Adapters>("@langchain/mcp-adapters");
  // There is one progress callback for all calls. It gets the name of the tool.
  const listeners = new Map<string, (() => void) | undefined>();
  const client = new MultiServerMCPClient({
    mcpServers: { ours: serverOf(task) },
    onProgress: (_progress: unknown, source: { readonly name: string }) => listeners.get(source.name)?.(),
  });
  const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
  return {
    canAnswer: false,
    listTools: async () => (await client.getTools()).map(({ name }) => name),
    listResources: async () => ((await client.listResources())["ours"] ?? []).map(({ uri }) => uri),
    listPrompts: async () => (await (await client.getClient("ours")).listPrompts()).prompts.map(({ name }) => name),
    async callTool(name, args, { signal, onProgress } = {}) {
      listeners.set(name, onProgress);
      try {
        const call = { type: "tool_call", id: "1", name, args };
        const { content, artifact } = await invoke(tools.get(name), call, signal);
        const structured = artifact?.find(({ type }) => type === "mcp_structured_content")?.data;
        return { text: typeof content === "string" ? content : textOf(content), isError: false, structured };
      } catch (error) {
        const { name: kind, message } = error as Error;
        if (kind === "ToolException" && message.includes("returned an error")) return { text: message, isError: true };
        throw error;
      }
    },
    readResource: async (uri) => textOf(await client.readResource("ours", uri)),
    getPrompt: async (name, args) =>
      readMessages(await (await client.getClient("ours")).getPrompt({ name, arguments: args })),
    close: () => client.close(),
  };
});

function invoke(tool: LangChainTool | undefined, call: object, signal: AbortSignal | undefined): Promise<ToolMessage> {
  if (tool === undefined) throw new Error("there is no such tool");
  return tool.invoke(call, signal === undefined ? {} : { signal });
}

function serverOf(task: ClientTask): object {
  if (task.transport === "stdio") return { transport: "stdio", ...commandOf(task) };
  return { transport: task.transport, url: urlOf(task).href, automaticSSEFallback: false };
}
