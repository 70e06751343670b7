import { afterEach, describe, expect, it } from "vitest";
import {
  auditLog,
  createServer,
  rateLimit,
  timeLimit,
  tool,
  ToolError,
  type ServerAuditEntry,
} from "../../src/index.ts";
import type { ServerDiagnostic } from "../../src/diagnostics.ts";
import type { ServerMiddleware } from "../../src/define/middleware.ts";
import { tasks } from "../../src/tasks/index.ts";
import { defer, type Deferred, type Json, ModernClient } from "../wire-client.ts";
import { ADA, DECLARED, greeter } from "./task-server.ts";

describe("Middleware around a tool that runs as a task", () => {
  let client: ModernClient;
  let gate: Deferred<void>;

  afterEach(async () => {
    gate.resolve();
    await client.disconnect();
  });

  function open(middleware: readonly ServerMiddleware[], log: ServerDiagnostic[] = []): void {
    gate = defer();
    const server = createServer({
      name: "n",
      version: "1",
      middleware,
      tools: {
        held: tool({ task: true, run: () => gate.promise.then(() => "secret") }),
        listening: tool({
          task: true,
          run: (_args, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            }),
        }),
        greeter,
      },
      extensions: [tasks({ sweepInterval: 20 })],
      onDiagnostic: (event) => void log.push(event),
    });
    client = new ModernClient(server, { capabilities: DECLARED });
  }

  async function begin(name: string): Promise<string> {
    return ((await client.callTool(name)) as { taskId: string }).taskId;
  }

  async function taskIn(taskId: string, status: string): Promise<Json> {
    let task: Json = {};
    await expect
      .poll(async () => {
        task = await client.request("tasks/get", { taskId });
        return (task as { status: string }).status;
      })
      .toBe(status);
    return task;
  }

  it("sees the final result once, and what it makes of it is kept", async () => {
    const seen: object[] = [];
    open([
      async (call, next) => {
        const result = await next();
        if (call.method !== "tools/call") return result;
        seen.push(result);
        return { ...result, content: [{ type: "text", text: "public" }] };
      },
    ]);
    const id = await begin("held");
    expect(seen).toEqual([]);
    gate.resolve();
    expect((await taskIn(id, "completed")).result.content[0].text).toBe("public");
    expect(seen).toHaveLength(1);
  });

  it("can refuse the call, of which no task is made", async () => {
    open([
      (call, next) => {
        if (call.method === "tools/call") throw new ToolError("Not today.");
        return next();
      },
    ]);
    expect(await client.callTool("held")).toMatchObject({ resultType: "complete", isError: true });
  });

  it("does not stop a task by a time limit for requests", async () => {
    open([timeLimit({ timeout: 30 })]);
    const [held, asking] = [await begin("held"), await begin("greeter")];
    await taskIn(asking, "input_required");
    await new Promise((resolve) => void setTimeout(resolve, 60));
    gate.resolve();
    await taskIn(held, "completed");
    await client.request("tasks/update", { taskId: asking, inputResponses: { who: ADA } });
    expect((await taskIn(asking, "completed")).result.content[0].text).toBe("Hello, Ada!");
  });

  it("counts a call once, however often its handler runs", async () => {
    open([rateLimit({ limit: 1, window: 3_600_000, methods: ["tools/call"] })]);
    const id = await begin("greeter");
    await taskIn(id, "input_required");
    await client.request("tasks/update", { taskId: id, inputResponses: { who: ADA } });
    expect((await taskIn(id, "completed")).result.content[0].text).toBe("Hello, Ada!");
    expect((await client.callTool("greeter")).isError).toBe(true);
  });

  it("logs each run of the handler with its own outcome", async () => {
    const entries: ServerAuditEntry[] = [];
    open([auditLog((entry) => void entries.push(entry))]);
    const id = await begin("greeter");
    await taskIn(id, "input_required");
    await client.request("tasks/update", { taskId: id, inputResponses: { who: ADA } });
    await taskIn(id, "completed");
    const calls = entries.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ outcome }) => outcome)).toEqual(["input-required", "ok"]);
  });

  it("is not the only one that hears of tasks: the operator can see each of them begin and end", async () => {
    const log: ServerDiagnostic[] = [];
    open([], log);
    const id = await begin("listening");
    await client.request("tasks/cancel", { taskId: id });
    await expect.poll(() => log.some(({ message }) => message.includes("failed"))).toBe(true);
    const told = log.filter(({ message }) => message.includes(id)).map(({ level, message }) => `${level} ${message}`);
    expect(told).toEqual([
      `debug The task ${id}, a call of listening, was created.`,
      `debug The task ${id}, a call of listening, ended (cancelled).`,
    ]);
    // A handler that stops because it was told to is no error.
    expect(log.filter(({ level }) => level === "error")).toEqual([]);
  });
});
