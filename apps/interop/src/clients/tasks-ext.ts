// A client on version 2 of the official SDK, with the tasks of `@modelcontextprotocol/ext-tasks`. Its mode is that of the SDK.

import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
  type RawClientDispatch,
  type SerializedTaskReference,
  type TaskOutcome,
  type ToolExecution,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";
import { readAnswer, type ToolAnswer } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { runTaskSteps, type TaskHold } from "../steps/task-steps.ts";
import { commandOf, report, urlOf, type ClientTask } from "./task.ts";

const INFO = { name: "interop", version: "1.0.0" };
const CAPABILITIES = { elicitation: {} };

await report(async (task) => {
  const { mode = "legacy" } = task;
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: mode === "legacy" ? mode : { pin: mode } },
  });
  await client.connect(
    task.transport === "stdio"
      ? new StdioClientTransport(commandOf(task))
      : (new StreamableHTTPClientTransport(urlOf(task)) as Transport),
  );
  const { tools } = await client.listTools();
  const declarations = new Map(tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  const options = {
    endpointId: "interop",
    tools: { currentTool: (name: string) => declarations.get(name) },
    onInputRequest: (() => Promise.resolve({ action: "accept", content: { name: ANSWER } })) as unknown as NonNullable<
      WithTasksOptions["onInputRequest"]
    >,
  };
  const session = createTaskSessionFromClient(client, mode === "legacy" ? options : { ...options, ...modern(task) });
  const call = (name: string, args: object, preference: "prefer" | "allow") =>
    session.callTool(name, { ...args }, { task: { preference } });
  const hold = (execution: ToolExecution<unknown>): TaskHold => {
    const id = execution.handle?.taskId;
    const controller = id === undefined ? undefined : session.task(id);
    return {
      id,
      reference: execution.kind === "task" ? execution.serializeReference() : undefined,
      status: async () => (await controller?.snapshot())?.status ?? "completed",
      result: async () => answerOf(await execution.result()),
      cancel: () => execution.cancel(),
      async detach() {
        await execution.detach();
        // The task is free for others only when its result has been given up.
        await execution.result().catch(() => undefined);
      },
    };
  };
  const run = async (name: string, args: object, preference: "prefer" | "allow") =>
    answerOf((await (await call(name, args, preference)).settle()).outcome);

  const outcomes = await runTaskSteps(
    {
      run: (name, args) => run(name, args, "prefer"),
      begin: async (name, args) => hold(await call(name, args, "prefer")),
      call: (name) => run(name, {}, "allow"),
      resume: async (reference) => hold(await session.resumeTask(reference as SerializedTaskReference)),
      ...(session.capabilities.inventory === "server-list" && {
        list: async () => (await session.listTasks()).tasks.map(({ taskId }) => taskId),
      }),
    },
    task,
  );
  await session.close();
  await client.close();
  return outcomes;
});

/** Of a failed task of 2025-11-25, the library does not get the result. Its status message has the text. */
function answerOf(outcome: TaskOutcome<unknown>): ToolAnswer {
  if (outcome.status === "failed") return { text: outcome.error.message, isError: true };
  return readAnswer(resultFromTaskOutcome(outcome));
}

/**
 * The SDK refuses results of a type that it does not know, so the library wants its host to send what has to do with tasks. It frames
 * the requests itself.
 */
function modern(task: ClientTask): {
  rawDispatch: RawClientDispatch;
  v2RequestFraming: {
    protocolVersion: string;
    clientInfo: typeof INFO;
    clientCapabilities: typeof CAPABILITIES;
  };
} {
  const protocolVersion = task.mode ?? "";
  let lastId = 0;
  return {
    v2RequestFraming: { protocolVersion, clientInfo: INFO, clientCapabilities: CAPABILITIES },
    async rawDispatch(request, { signal } = {}) {
      const { method, params } = request as unknown as {
        method: string;
        params: { readonly name?: string; readonly taskId?: string };
      };
      const response = await fetch(urlOf(task), {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": protocolVersion,
          "Mcp-Method": method,
          "Mcp-Name": params.taskId ?? params.name ?? "",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: `raw-${++lastId}`, method, params }),
        ...(signal && { signal }),
      });
      const { result, error } = lastMessage(await response.text());
      return error === undefined ? { kind: "result", result } : { kind: "error", error };
    },
  };
}

type Dispatched = Awaited<ReturnType<RawClientDispatch>>;

/** Reads the response out of a body of JSON, or out of the last event of a stream. */
function lastMessage(body: string): {
  readonly result: Extract<Dispatched, { kind: "result" }>["result"];
  readonly error?: Extract<Dispatched, { kind: "error" }>["error"];
} {
  const events = body.split("\n").filter((line) => line.startsWith("data: {"));
  return JSON.parse(events.at(-1)?.slice("data: ".length) ?? body) as ReturnType<typeof lastMessage>;
}
