/** Tasks between our own client and our own server: everything at once, over real transports. */
import {
  connect,
  createMemoryChannels,
  type Client,
  type ClientExtension,
  type ClientOptions,
  type Revision,
} from "@toolwire/client";
import { tasks, type Tasks } from "@toolwire/client/tasks";
import { createServer, RpcError, tool } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { serveHttp } from "@toolwire/server/http";
import { tasks as serverTasks } from "@toolwire/server/tasks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withResolvers } from "../with-resolvers.ts";

/** Looked at as often as clients do. */
const QUICK = { poll: 1 };

/** A server with tools that are tasks, and a gate at which the first of them waits. */
function createTaskServer() {
  const gate = withResolvers<undefined>();
  const started = withResolvers<AbortSignal>();
  const server = createServer({
    name: "tasks",
    version: "1.0.0",
    onDiagnostic: () => {},
    extensions: [serverTasks()],
    tools: {
      add: tool({
        task: QUICK,
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      wait: tool({
        task: QUICK,
        async run(_, ctx) {
          started.resolve(ctx.signal);
          await Promise.race([gate.promise, new Promise((resolve) => ctx.signal.addEventListener("abort", resolve))]);
          ctx.signal.throwIfAborted();
          return "opened";
        },
      }),
      greet: tool({
        task: QUICK,
        async run(_, ctx) {
          const [{ name }, { greeting }] = await Promise.all([
            ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) }),
            ctx.elicit("how", { message: "How?", schema: z.object({ greeting: z.string() }) }),
          ]);
          return `${greeting}, ${name}!`;
        },
      }),
      fail: tool({
        task: QUICK,
        run: (): string => {
          throw new RpcError(5050, "The disk is full.", { data: { left: 0 } });
        },
      }),
      now: tool({ run: () => "noon" }),
    },
  });
  return { server, gate, started };
}

type TaskServer = ReturnType<typeof createTaskServer>;

/** A client of such a server. */
interface Opened extends TaskServer {
  readonly client: Client;
  readonly extension: ClientExtension<Tasks>;
  /** Connects another client to the same server. */
  again(): Promise<Opened>;
  close(): Promise<void>;
}

const HANDLERS: ClientOptions = {
  elicitation: ({ message }) => ({
    action: "accept",
    content: message === "Who?" ? { name: "Ada" } : { greeting: "Hello" },
  }),
};

async function overHttp(revision: Revision, made = createTaskServer()): Promise<Opened> {
  const { url, close } = await serveHttp(made.server, { port: 0 });
  const open = async (): Promise<Opened> => {
    const extension = tasks();
    const client = await connect(url, { ...HANDLERS, revision, extensions: [extension] });
    return { ...made, client, extension, again: open, close: () => client.close().then(close) };
  };
  return open();
}

async function overChannel(revision: Revision, made = createTaskServer()): Promise<Opened> {
  const [near, far] = createMemoryChannels();
  const serving = serveChannel(made.server, far);
  const extension = tasks();
  const client = await connect(near, { ...HANDLERS, revision, extensions: [extension] });
  const again = (): Promise<Opened> => overChannel(revision, made);
  return { ...made, client, extension, again, close: () => client.close().then(() => serving.close()) };
}

const WAYS = [
  ["HTTP", "2026-07-28", overHttp],
  ["HTTP", "2025-11-25", overHttp],
  ["a channel", "2026-07-28", overChannel],
  ["a channel", "2025-11-25", overChannel],
] as const;

describe.each(WAYS)("over %s, in revision %s", (_, revision, open) => {
  test("calls come to the same results, whether or not they become tasks", async () => {
    const { client, close } = await open(revision);
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    const handle = await client.callTool("add", { a: 1, b: 2 }, { task: true });
    expect(handle.id).toMatch(/./);
    expect(await handle.result()).toMatchObject({ structuredContent: { sum: 3 } });
    expect(handle.state.status).toBe("completed");
    const plain = await client.callTool("now", {}, { task: true });
    expect([plain.id, await plain.result()]).toMatchObject([undefined, { content: [{ text: "noon" }] }]);
    await close();
  });

  test("questions are answered by the handlers of the client", async () => {
    const { client, close } = await open(revision);
    const handle = await client.callTool("greet", {}, { task: true });
    expect(await handle.result()).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
    await close();
  });

  test("an error is that of the call", async () => {
    const { client, close } = await open(revision);
    const handle = await client.callTool("fail", {}, { task: true });
    await expect(handle.result()).rejects.toMatchObject({
      name: "RpcError",
      code: 5050,
      message: "The disk is full.",
      data: { left: 0 },
    });
    expect(handle.state.status).toBe("failed");
    await close();
  });

  test("cancelling stops the work, and says so", async () => {
    const { client, started, close } = await open(revision);
    const handle = await client.callTool("wait", {}, { task: true });
    const signal = await started.promise;
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: "CANCELLED" });
    expect(signal.aborted).toBe(true);
    await close();
  });

  test("another client finds the task by its reference", async () => {
    const first = await open(revision);
    const handle = await first.client.callTool("wait", {}, { task: true });
    await first.started.promise;
    const ref = structuredClone(handle.ref!);
    handle.detach();
    const second = await first.again();
    const resumed = await second.client.use(second.extension).resumeTask(ref);
    expect(resumed.state.status).toBe("working");
    first.gate.resolve(undefined);
    expect(await resumed.result()).toMatchObject({ content: [{ text: "opened" }] });
    await second.client.close();
    await first.close();
  });
});

test("a server that announces the end of a task is not waited for, however seldom it wants to be looked at", async () => {
  const gate = withResolvers<undefined>();
  const server = createServer({
    name: "tasks",
    version: "1.0.0",
    extensions: [serverTasks()],
    tools: { wait: tool({ task: { poll: 60_000 }, run: () => gate.promise.then(() => "opened") }) },
  });
  const { url, close } = await serveHttp(server, { port: 0 });
  const methods: string[] = [];
  const looked = withResolvers<undefined>();
  const client = await connect(url, {
    extensions: [tasks()],
    middleware: [
      async (call, next) => {
        const result = await next();
        methods.push(call.method);
        if (call.method === "tasks/get") looked.resolve(undefined);
        return result;
      },
    ],
  });
  const call = client.callTool("wait");
  // The client looks once more when the server has agreed to announce changes.
  await looked.promise;
  gate.resolve(undefined);
  expect(await call).toMatchObject({ content: [{ text: "opened" }] });
  expect(methods).toEqual(["tasks/get", "tools/call"]);
  await client.close();
  await close();
});
