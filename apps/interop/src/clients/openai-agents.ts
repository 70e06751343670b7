// A client on the OpenAI Agents SDK: its MCP server classes, without an agent and a model.

import { readAnswer, textOf, type Driver } from "../steps/driver.ts";
import { importFetched } from "../fetched/import-fetched.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

interface Agents {
  readonly MCPServerStdio: new (options: object) => AgentServer;
  readonly MCPServerStreamableHttp: new (options: object) => AgentServer;
  readonly MCPServerSSE: new (options: object) => AgentServer;
  /** Converts tools to functions for a model, with schemas in OpenAI's strict mode. */
  getAllMcpTools(options: object): Promise<{ readonly name: string }[]>;
}

interface AgentServer {
  connect(): Promise<void>;
  callToolResult(name: string, args: object, meta: null, options: object): Promise<object>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(uri: string): Promise<{ readonly contents: unknown }>;
  close(): Promise<void>;
}

await runTask(async (task): Promise<Driver> => {
  const agents = await importFetched<Agents>("@openai/agents");
  const server = makeServer(agents, task);
  await server.connect();
  return {
    canAnswer: false,
    listTools: async () =>
      (await agents.getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true })).map(({ name }) => name),
    listResources: async () => (await server.listResources()).resources.map(({ uri }) => uri),
    callTool: async (name, args, { signal } = {}) =>
      readAnswer(await server.callToolResult(name, args, null, { signal })),
    readResource: async (uri) => textOf((await server.readResource(uri)).contents),
    close: () => server.close(),
  };
});

function makeServer(agents: Agents, task: ClientTask): AgentServer {
  if (task.transport === "stdio") return new agents.MCPServerStdio(commandOf(task));
  const options = { url: urlOf(task).href };
  return task.transport === "sse" ? new agents.MCPServerSSE(options) : new agents.MCPServerStreamableHttp(options);
}
