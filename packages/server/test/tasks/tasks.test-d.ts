import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Context, tool, type ToolDefinition } from "../../src/index.ts";
import { delegated, type TaskContext } from "../../src/tasks/index.ts";

test("tools take the option `task`, and handlers find `ctx.task`", () => {
  tool({
    task: true,
    run(_args, ctx) {
      expectTypeOf(ctx.task).toEqualTypeOf<TaskContext>();
      return "done";
    },
  });
  tool({ task: { mode: "required", begin: 800, ttl: null, resume: "replay" }, run: () => "done" });
  // @ts-expect-error -- there is no such mode
  tool({ task: { mode: "always" }, run: () => "done" });
  // @ts-expect-error -- leave it out instead
  tool({ task: false, run: () => "done" });
  expectTypeOf<Context["task"]["id"]>().toEqualTypeOf<string | undefined>();
});

test("delegated work gets the arguments of its tool, and returns what the tool promises", () => {
  const build = tool({
    input: z.object({ branch: z.string() }),
    output: z.object({ url: z.string() }),
    run: delegated({
      start: ({ branch }: { branch: string }) => ({ job: branch }),
      poll(reference) {
        expectTypeOf(reference).toEqualTypeOf<{ job: string }>();
        return { done: true, result: { url: "https://example.com" } };
      },
    }),
  });
  expectTypeOf(build).toExtend<ToolDefinition>();
});
