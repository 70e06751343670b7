// A server on the last version 1 of the official SDK, with its experimental tasks.

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
  type CreateTaskRequestHandlerExtra,
} from "sdk-v1/experimental/tasks";
import { McpServer } from "sdk-v1/server/mcp.js";
import { StdioServerTransport } from "sdk-v1/server/stdio.js";
import { StreamableHTTPServerTransport } from "sdk-v1/server/streamableHttp.js";
import type { CallToolResult } from "sdk-v1/types.js";
import { z } from "zod";
import { counter, listen, transport, WORK_MS } from "./program.ts";

type Transport = Parameters<McpServer["connect"]>[0];
type Extra = CreateTaskRequestHandlerExtra;

if (transport === "stdio") await makeServer().connect(new StdioServerTransport());
else await serveStreamableHttp();

function makeServer(): McpServer {
  const server = new McpServer(
    { name: "v1", version: "1.0.0" },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  const answer = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
  const register = (
    name: string,
    taskSupport: "required" | "optional",
    work: (args: { title?: string | undefined }, taskId: string, extra: Extra) => Promise<CallToolResult | undefined>,
  ): void => {
    server.experimental.tasks.registerToolTask(
      name,
      { inputSchema: { title: z.string().optional() }, execution: { taskSupport } },
      {
        async createTask(args, extra) {
          const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
          void work(args, task.taskId, extra).then(async (result) => {
            if (result === undefined) return;
            await extra.taskStore.storeTaskResult(task.taskId, result.isError ? "failed" : "completed", result);
          });
          return { task };
        },
        getTask: async (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
        getTaskResult: async (_args, { taskId, taskStore }) =>
          (await taskStore.getTaskResult(taskId)) as CallToolResult,
      },
    );
  };
  // It can be called in no other way, so that a client has to find out by itself.
  register("report", "required", async ({ title }) => {
    await delay(WORK_MS);
    return answer(`Report on ${title}`);
  });
  register("fail", "optional", async () => {
    await delay(WORK_MS);
    return { ...answer("This tool always fails."), isError: true };
  });
  register("ask", "required", async (_args, taskId, extra) => {
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    await extra.taskStore.updateTaskStatus(taskId, "input_required");
    const { content } = await server.server.elicitInput(
      { mode: "form", message: "Your name?", requestedSchema },
      { relatedTask: { taskId } },
    );
    return answer(`Hello, ${String(content?.["name"])}!`);
  });
  register("wait", "optional", async (_args, taskId, { taskStore }) => {
    // Tools of this SDK are not told of cancellations. They look.
    while ((await taskStore.getTask(taskId)).status !== "cancelled") await delay(25);
    counter.cancelled++;
    return undefined;
  });
  server.registerTool("cancelled", {}, () => answer(String(counter.cancelled)));
  return server;
}

async function serveStreamableHttp(): Promise<void> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const opened: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, opened),
    });
    // Its optional members are not declared as this project's compiler settings want them.
    await makeServer().connect(opened as Transport);
    return opened;
  };
  await listen((request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    void Promise.resolve(known ?? open()).then((session) => session.handleRequest(request, response));
  }, "/mcp");
}
