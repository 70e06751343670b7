/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { connect, type Client, type ToolCallResult, type TypedServer } from "@toolwire/client";
import { tasks, type TaskHandle, type TaskRef, type TaskState } from "@toolwire/client/tasks";
import { expectTypeOf, test } from "vitest";

type Reports = TypedServer<{
  readonly report: { readonly input: { year: number }; readonly output: { url: string } };
  readonly now: { readonly input: Record<string, never>; readonly output: undefined };
}>;

declare const client: Client<NonNullable<Reports["~tools"]>>;
declare const untyped: Client;

test("the option `task` asks for a handle, whose result is that of the tool", async () => {
  const handle = await client.callTool("report", { year: 2026 }, { task: true });
  expectTypeOf(handle).toEqualTypeOf<TaskHandle<ToolCallResult<{ url: string }>>>();
  const { structuredContent } = await handle.result({ signal: AbortSignal.timeout(1) });
  expectTypeOf(structuredContent).toEqualTypeOf<{ url: string } | undefined>();
  for await (const state of handle) expectTypeOf(state).toEqualTypeOf<TaskState>();
  expectTypeOf(await client.callTool("report", { year: 2026 }, { task: { ttl: 1 } })).toEqualTypeOf<typeof handle>();
  expectTypeOf(await untyped.callTool("any", {}, { task: true })).toEqualTypeOf<TaskHandle<ToolCallResult<unknown>>>();
});

test("without it, the result is as ever", async () => {
  const result = await client.callTool("report", { year: 2026 });
  expectTypeOf(result).toEqualTypeOf<ToolCallResult<{ url: string }>>();
  expectTypeOf(await client.callTool("report", { year: 2026 }, { task: false })).toEqualTypeOf<typeof result>();
});

test("mistakes are found", () => {
  // @ts-expect-error -- the year is missing
  void client.callTool("report", {}, { task: true });
  // @ts-expect-error -- there is no such option
  void client.callTool("report", { year: 2026 }, { task: { tll: 1 } });
  // @ts-expect-error -- neither is there one of `tasks()`
  tasks({ maxQuestion: 5 });
});

test("client.use() leads to tasks that were begun earlier", async () => {
  const extension = tasks();
  const connected = await connect<Reports>("http://127.0.0.1/mcp", { extensions: [extension] });
  const ref: TaskRef = JSON.parse("{}") as TaskRef;
  const handle = await connected.use(extension).resumeTask(ref);
  expectTypeOf(handle).toEqualTypeOf<TaskHandle<ToolCallResult<unknown>>>();
  const typed = await connected.use(extension).resumeTask<ToolCallResult<{ url: string }>>(ref);
  expectTypeOf(typed).toEqualTypeOf<TaskHandle<ToolCallResult<{ url: string }>>>();
});
