// Our own client, with tasks. Its mode is an era to insist on.

import { connect } from "@toolwire/client";
import { tasks, type TaskHandle, type TaskRef } from "@toolwire/client/tasks";
import { readAnswer } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { INTERPRETATION, runTaskSteps, type TaskHold } from "../steps/task-steps.ts";
import { commandOf, report, urlOf } from "./task.ts";

await report(async (task) => {
  const extension = tasks();
  const client = await connect(task.transport === "stdio" ? commandOf(task) : urlOf(task), {
    info: { name: "interop", version: "1.0.0" },
    elicitation: ({ requestedSchema: { properties } }) => ({
      action: "accept",
      content: "interpretation" in properties ? { interpretation: INTERPRETATION } : { name: ANSWER },
    }),
    extensions: [extension],
    ...(task.mode === "legacy" && { era: "legacy" }),
  });
  const outcomes = await runTaskSteps(
    {
      run: async (tool, args) => readAnswer(await client.callTool(tool, { ...args })),
      begin: async (tool, args) => hold(await client.callTool(tool, { ...args }, { task: true })),
      call: async (tool) => readAnswer(await client.callTool(tool, {})),
      resume: async (reference) => hold(await client.use(extension).resumeTask(reference as TaskRef)),
    },
    task,
  );
  await client.close();
  return outcomes;
});

function hold(handle: TaskHandle<unknown>): TaskHold {
  return {
    id: handle.id,
    reference: handle.ref,
    status: async () => (await handle.refresh()).status,
    result: async () => readAnswer(await handle.result()),
    cancel: () => handle.cancel(),
    detach: async () => handle.detach(),
  };
}
