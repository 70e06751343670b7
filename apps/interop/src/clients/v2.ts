// A client on version 2 of the official SDK. Its mode is that of the SDK: `legacy`, `auto`, or a revision to insist on.

import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readAnswer, readMessages, textOf, type Driver } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

await runTask(async (task): Promise<Driver> => {
  const { mode = "auto" } = task;
  const client = new Client(
    { name: "interop", version: "1.0.0" },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: mode === "auto" || mode === "legacy" ? mode : { pin: mode } },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: ANSWER } }));
  await client.connect(makeTransport(task));
  return {
    canAnswer: true,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    callTool: async (name, args, { signal, onProgress } = {}) =>
      readAnswer(
        await client.callTool(
          { name, arguments: { ...args } },
          { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
        ),
      ),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: async (name, args) => readMessages(await client.getPrompt({ name, arguments: { ...args } })),
    close: () => client.close(),
  };
});

function makeTransport(task: ClientTask): Transport {
  if (task.transport === "stdio") return new StdioClientTransport(commandOf(task));
  // oxlint-disable-next-line typescript/no-deprecated -- What its authors have deprecated is in use, so it is tested here.
  if (task.transport === "sse") return new SSEClientTransport(urlOf(task)) as Transport;
  return new StreamableHTTPClientTransport(urlOf(task)) as Transport;
}
