// A client on the last version 1 of the official SDK, with its experimental tasks.

import { Client } from "sdk-v1/client/index.js";
import { StdioClientTransport } from "sdk-v1/client/stdio.js";
import { StreamableHTTPClientTransport } from "sdk-v1/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema, type CallToolResult } from "sdk-v1/types.js";
import { readAnswer } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { runTaskSteps, type TaskHold } from "../steps/task-steps.ts";
import { commandOf, report, urlOf } from "./task.ts";

await report(async (task) => {
  const client = new Client({ name: "interop", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: ANSWER } }));
  const transport =
    task.transport === "stdio"
      ? new StdioClientTransport(commandOf(task))
      : new StreamableHTTPClientTransport(urlOf(task));
  // Its optional members are not declared as this project's compiler settings want them.
  await client.connect(transport as Parameters<Client["connect"]>[0]);

  const { tasks } = client.experimental;
  const stream = (name: string, args: object) =>
    tasks.callToolStream({ name, arguments: { ...args } }, CallToolResultSchema, { task: {} });
  const hold = (id: string): TaskHold => ({
    id,
    reference: id,
    status: async () => (await tasks.getTask(id)).status,
    result: async () => readAnswer(await tasks.getTaskResult(id, CallToolResultSchema)),
    cancel: async () => void (await tasks.cancelTask(id)),
    // It looks only when it is asked to.
    detach: () => Promise.resolve(),
  });

  const outcomes = await runTaskSteps(
    {
      async run(name, args) {
        let result: CallToolResult | undefined;
        for await (const message of stream(name, args)) {
          if (message.type === "error") throw message.error;
          if (message.type === "result") ({ result } = message);
        }
        return readAnswer(result ?? {});
      },
      async begin(name, args) {
        for await (const message of stream(name, args)) {
          if (message.type === "taskCreated") return hold(message.task.taskId);
          if (message.type === "error") throw message.error;
        }
        throw new Error("there was no task");
      },
      call: async (name) => readAnswer(await client.callTool({ name })),
      resume: async (id) => hold(id as string),
      list: async () => (await tasks.listTasks()).tasks.map(({ taskId }) => taskId),
    },
    task,
  );
  await client.close();
  return outcomes;
});
