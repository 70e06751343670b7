import { afterEach, describe, expect, it } from "vitest";
import { memoryTaskStore } from "../../src/tasks/index.ts";
import { BINDINGS, callTool, type Served, taskIn } from "./task-clients.ts";
import { greeter, serveTasks } from "./task-server.ts";

let served: Served | undefined;

afterEach(() => served?.close());

describe.each(BINDINGS)("A server without limits of tasks, over $name", (binding) => {
  it("does not count them, which some stores do by looking at each", async () => {
    const store = memoryTaskStore();
    let counted = 0;
    const count = store.count.bind(store);
    store.count = (owner) => {
      counted += 1;
      return count(owner);
    };
    served = await binding.serve(serveTasks({ greeter }, { store, perCaller: Infinity, maxTasks: Infinity }));
    const client = served.declaring();
    const { taskId } = await callTool(client, "greeter");
    await taskIn(client, taskId, "input_required");
    expect(counted).toBe(0);
  });
});
