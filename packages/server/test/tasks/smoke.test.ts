import { expect, it } from "vitest";
import { tool } from "../../src/index.ts";
import { declaring, greeter, legacy, serveTasks, taskIn } from "./task-server.ts";

it("ext", async () => {
  const server = serveTasks({ add: tool({ task: true, run: () => "done" }), greeter });
  const client = declaring(server);
  const task = await client.callTool("add");
  console.log(task);
  console.log(JSON.stringify(await taskIn(client, task.taskId, "completed")));
  const asking = await client.callTool("greeter");
  console.log(JSON.stringify(await taskIn(client, asking.taskId, "input_required")));
  console.log(await client.request("tasks/update", { taskId: asking.taskId, inputResponses: { who: { action: "accept", content: { name: "Ada" } } } }));
  console.log(JSON.stringify(await taskIn(client, asking.taskId, "completed")));
  await client.disconnect();
});
it("legacy", async () => {
  const server = serveTasks({ add: tool({ task: true, run: () => "done" }), greeter });
  const client = await legacy(server, (request) => (console.log(JSON.stringify(request)), { action: "accept", content: { name: "Ada" } }));
  const { task } = await client.callTool("greeter", {}, { task: { ttl: 1000 } });
  console.log(task);
  console.log(await client.request("tasks/result", { taskId: task.taskId }));
  console.log((await client.request("tools/list")).tools);
  expect(1).toBe(1);
  await client.disconnect();
});
