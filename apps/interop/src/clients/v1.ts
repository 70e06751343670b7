// A client on some version 1 of the official SDK. The versions differ in what they have, not in how it is called.

/* oxlint-disable typescript/no-deprecated -- What its authors have deprecated is in use, so it is tested here. */
import type * as ClientModule from "sdk-v1/client/index.js";
import type * as SseModule from "sdk-v1/client/sse.js";
import type * as StdioModule from "sdk-v1/client/stdio.js";
import type * as HttpModule from "sdk-v1/client/streamableHttp.js";
import type * as WebSocketModule from "sdk-v1/client/websocket.js";
import type * as TypesModule from "sdk-v1/types.js";
import { EventSource, WebSocket } from "undici";
import { readAnswer, readMessages, textOf, type Driver } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

type AnyTransport = Parameters<ClientModule.Client["connect"]>[0];

// It uses those of browsers: WebSocket in all versions, EventSource in the first.
Object.assign(globalThis, { EventSource, WebSocket });

await runTask(async (task): Promise<Driver> => {
  const { sdk = "sdk-v1" } = task;
  const { Client } = (await import(`${sdk}/client/index.js`)) as typeof ClientModule;
  const { ElicitRequestSchema } = (await import(`${sdk}/types.js`)) as Partial<typeof TypesModule>;
  const client = new Client(
    { name: "interop", version: "1.0.0" },
    { capabilities: ElicitRequestSchema === undefined ? {} : { elicitation: {} } },
  );
  if (ElicitRequestSchema !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: ANSWER } }));
  }
  await client.connect(await makeTransport(sdk, task));
  return {
    canAnswer: ElicitRequestSchema !== undefined,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    callTool: async (name, args, { signal, onProgress } = {}) =>
      readAnswer(
        await client.callTool({ name, arguments: args }, undefined, {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: onProgress }),
        }),
      ),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: async (name, args) => readMessages(await client.getPrompt({ name, arguments: { ...args } })),
    close: () => client.close(),
  };
});

async function makeTransport(sdk: string, task: ClientTask): Promise<AnyTransport> {
  const load = (file: string): Promise<unknown> => import(`${sdk}/client/${file}.js`);
  if (task.transport === "stdio") {
    const { StdioClientTransport } = (await load("stdio")) as typeof StdioModule;
    return new StdioClientTransport(commandOf(task));
  }
  if (task.transport === "sse") {
    const { SSEClientTransport } = (await load("sse")) as typeof SseModule;
    return new SSEClientTransport(urlOf(task));
  }
  if (task.transport === "websocket") {
    const { WebSocketClientTransport } = (await load("websocket")) as typeof WebSocketModule;
    return new WebSocketClientTransport(urlOf(task));
  }
  const { StreamableHTTPClientTransport } = (await load("streamableHttp")) as typeof HttpModule;
  // Its optional members are not declared as this project's compiler settings want them.
  return new StreamableHTTPClientTransport(urlOf(task)) as AnyTransport;
}
