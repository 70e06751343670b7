import { type Client, connect, type ConnectOptions, RpcError, textOf } from "@toolwire/client";
import { type TaskHandle, tasks } from "@toolwire/client/tasks";
import { eraOf, type Revision } from "@toolwire/protocol";
import { createServer, type Server, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { tasks as serverTasks } from "@toolwire/server/tasks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { eventually } from "../../../test/eventually.ts";
import { createRelay } from "../src/index.ts";
import { host, type Hosting, serveUntilEnd } from "./hosting.ts";
import { overHttp } from "./servers.ts";

const SECRET = "s3cret-token";
const CALLERS: readonly Revision[] = ["2026-07-28", "2025-11-25"];
/** Looked at as often as clients do. */
const QUICK = { poll: 1 };

/** An upstream with tasks, and what has happened in it. */
interface Seen {
  readonly server: Server;
  readonly runs: string[];
  readonly aborted: string[];
  open(): void;
}

function createUpstream(revision: Revision): Seen {
  const runs: string[] = [];
  const aborted: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const server = createServer({
    name: "upstream",
    version: "1.0.0",
    revisions: [revision],
    onDiagnostic: () => {},
    extensions: [serverTasks({ sweepInterval: 20 })],
    tools: {
      report: tool({
        task: { ...QUICK, mode: "required" },
        input: z.object({ about: z.string() }),
        async run({ about }, ctx) {
          runs.push("report");
          ctx.task.say(`Writing about ${SECRET}`);
          return `A report about ${about}, by ${SECRET}`;
        },
      }),
      hold: tool({
        task: QUICK,
        async run(_args, ctx) {
          runs.push("hold");
          ctx.task.say(`Holding ${SECRET}`);
          try {
            await Promise.race([gate, untilAborted(ctx.signal)]);
          } catch (error) {
            aborted.push("hold");
            throw error;
          }
          return "let go";
        },
      }),
      greet: tool({
        task: QUICK,
        async run(_args, ctx) {
          await ctx.once("count", () => void runs.push("greet"));
          const { name } = await ctx.elicit("who", {
            message: `Who are you, and not ${SECRET}?`,
            schema: z.object({ name: z.string() }),
          });
          const { mood } = await ctx.elicit("how", { message: "How?", schema: z.object({ mood: z.string() }) });
          return `${mood}, ${name}!`;
        },
      }),
      fail: tool({
        task: QUICK,
        run: (): string => {
          throw new RpcError(5050, `The disk of ${SECRET} is full.`, { data: { key: SECRET } });
        },
      }),
      kind: tool({ task: QUICK, run: (_args, ctx) => (ctx.task.id === undefined ? "a call" : "a task") }),
      now: tool({ run: () => "noon" }),
    },
  });
  return { server, runs, aborted, open };
}

const clear = <T>(value: T): T => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? value : (JSON.parse(text.replaceAll(SECRET, "[hidden]")) as T);
};

async function relay(server: Server, timeout = 60_000): Promise<Hosting<unknown>> {
  return host({ up: { url: await overHttp(server), prefix: "up", timeout, view: { clear } } });
}

const ANSWERS: ConnectOptions = {
  elicitation: ({ message }) => ({
    action: "accept",
    content: message.includes("How") ? { mood: "Hello" } : { name: message.includes(SECRET) ? "leaked" : "Ada" },
  }),
};

/** A caller that knows tasks. */
function declaring(to: Hosting<unknown>, revision: Revision, more: ConnectOptions & { as?: string } = {}) {
  return to.connect({ ...versionOf(revision), extensions: [tasks()], ...more });
}

function versionOf(revision: Revision): ConnectOptions {
  return { era: eraOf(revision) };
}

async function begin(client: Client, name: string, args = {}): Promise<TaskHandle<object>> {
  return (await client.callTool(name, args, { task: true })) as unknown as TaskHandle<object>;
}

describe.each(CALLERS)("a caller of %s that knows tasks, at an upstream with the extension", (revision) => {
  test("gets a task of the relay with an id of its own, and the result of the upstream's without credentials", async () => {
    const { server, runs } = createUpstream("2026-07-28");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_report", { about: "tea" });
    expect(client.revision).toBe(revision);
    expect(handle.id).toMatch(/.{20}/u);
    expect(textOf((await handle.result()) as never)).toBe("A report about tea, by [hidden]");
    expect(runs).toEqual(["report"]);
  });

  test("sees what the task is doing, in words without credentials", async () => {
    const { server, open } = createUpstream("2026-07-28");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_hold");
    await eventually(async () => expect((await handle.refresh()).message).toBe("Holding [hidden]"));
    open();
    expect(textOf((await handle.result()) as never)).toBe("let go");
  });

  test("answers the questions of the upstream's task, which begins only once", async () => {
    const { server, runs } = createUpstream("2026-07-28");
    const client = await declaring(await relay(server), revision, ANSWERS);
    const handle = await begin(client, "up_greet");
    expect(textOf((await handle.result()) as never)).toBe("Hello, Ada!");
    expect(runs).toEqual(["greet"]);
  });

  test("cancels the task of the upstream by cancelling its own", async () => {
    const { server, runs, aborted } = createUpstream("2026-07-28");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_hold");
    await eventually(() => expect(runs).toEqual(["hold"]));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow("was cancelled");
    await eventually(() => expect(aborted).toEqual(["hold"]));
  });

  test("gets the error of a task that has failed, without credentials", async () => {
    const { server } = createUpstream("2026-07-28");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_fail");
    await expect(handle.result()).rejects.toMatchObject({
      code: 5050,
      message: expect.stringContaining("The disk of [hidden] is full.") as string,
      data: { key: "[hidden]" },
    });
  });

  test("does not find the tasks of other callers", async () => {
    const { server, open } = createUpstream("2026-07-28");
    const to = await relay(server);
    const ada = await declaring(to, revision, { as: "ada" });
    const eve = await declaring(to, revision, { as: "eve" });
    const handle = await begin(ada, "up_hold");
    const taskId = handle.id ?? "";
    for (const method of ["tasks/get", "tasks/cancel"]) {
      await expect(eve.request(method, { taskId })).rejects.toMatchObject({ code: -32602 });
    }
    open();
    expect(textOf((await handle.result()) as never)).toBe("let go");
  });

  test("gets an error that says so if the upstream does not know its task any more", async () => {
    const to = await relay(forgetful());
    const handle = await begin(await declaring(to, revision), "up_report", { about: "tea" });
    expect(textOf((await handle.result()) as never)).toMatch(/^Error: Upstream up does not know its task any more/u);
  });
});

/** A server with the extension, whose answers about tasks are given by the test. */
function scripted(created: object, look: (taskId: string) => object, heard: string[] = []): Server {
  return createServer({
    name: "hostile",
    version: "1.0.0",
    revisions: ["2026-07-28"],
    onDiagnostic: () => {},
    tools: { report: tool({ input: z.object({ about: z.string().optional() }), run: () => "never" }) },
    extensions: [
      {
        id: "io.modelcontextprotocol/tasks",
        resultTypes: ["task"],
        tool: () => ({
          call: () => ({ resultType: "task", status: "working", ttlMs: null, pollIntervalMs: 1, ...created }),
        }),
        methods: {
          "tasks/get": {
            nameParam: "taskId",
            handle: (params: { taskId: string }) => ({ resultType: "complete", ttlMs: null, ...look(params.taskId) }),
          },
          "tasks/update": { nameParam: "taskId", handle: () => ({}) },
          "tasks/cancel": {
            nameParam: "taskId",
            handle(params: { taskId: string }) {
              heard.push(`cancel ${params.taskId}`);
              return {};
            },
          },
        },
      } as never,
    ],
  }) as Server;
}

function forgetful(): Server {
  return scripted({ taskId: "gone" }, () => {
    throw new RpcError(-32602, "No such task");
  });
}

describe.each(CALLERS)("a caller of %s without tasks", (revision) => {
  test("waits for the result, even if the upstream insists on a task", async () => {
    const { server, runs } = createUpstream("2026-07-28");
    const to = await relay(server);
    const client = await to.connect(versionOf(revision));
    expect(textOf(await client.callTool("up_report", { about: "tea" }))).toBe("A report about tea, by [hidden]");
    expect(runs).toEqual(["report"]);
  });

  test("waits for a task that the upstream insists on, if it can be asked something", async () => {
    const { server } = createUpstream("2026-07-28");
    const to = await relay(server);
    const client = await to.connect({ ...versionOf(revision), ...ANSWERS });
    expect(textOf(await client.callTool("up_report", { about: "tea" }))).toBe("A report about tea, by [hidden]");
  });

  test("answers the questions of the upstream's task as those of its call", async () => {
    const { server, runs } = createUpstream("2026-07-28");
    const to = await relay(server);
    const client = await to.connect({ ...versionOf(revision), ...ANSWERS });
    expect(textOf(await client.callTool("up_greet"))).toBe("Hello, Ada!");
    expect(runs).toEqual(["greet"]);
  });

  test("cancels the task of the upstream by cancelling the call", async () => {
    const { server, runs, aborted } = createUpstream("2026-07-28");
    const to = await relay(server);
    const client = await to.connect(versionOf(revision));
    const stop = new AbortController();
    const calling = client.callTool("up_hold", {}, { signal: stop.signal });
    await eventually(() => expect(runs).toEqual(["hold"]));
    stop.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await eventually(() => expect(aborted).toEqual(["hold"]));
  });

  test("waits for a task of an upstream of 2025-11-25", async () => {
    const { server, runs } = createUpstream("2025-11-25");
    const to = await relay(server);
    const client = await to.connect(versionOf(revision));
    expect(textOf(await client.callTool("up_report", { about: "tea" }))).toBe("A report about tea, by [hidden]");
    expect(runs).toEqual(["report"]);
  });
});

describe.each(CALLERS)("a caller of %s that knows tasks, at an upstream of 2025-11-25", (revision) => {
  test("gets a task, and its result without credentials", async () => {
    const { server, runs } = createUpstream("2025-11-25");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_report", { about: "tea" });
    expect(handle.id).toBeDefined();
    expect(textOf((await handle.result()) as never)).toBe("A report about tea, by [hidden]");
    expect(runs).toEqual(["report"]);
  });

  test("cancels the task of the upstream by cancelling its own", async () => {
    const { server, runs, aborted } = createUpstream("2025-11-25");
    const client = await declaring(await relay(server), revision);
    const handle = await begin(client, "up_hold");
    await eventually(() => expect(runs).toEqual(["hold"]));
    await handle.cancel();
    await eventually(() => expect(aborted).toEqual(["hold"]));
  });

  test("has a tool called as a task that may be one, and others have it called as ever", async () => {
    const { server } = createUpstream("2025-11-25");
    const to = await relay(server);
    const handle = await begin(await declaring(to, revision), "up_kind");
    expect(textOf((await handle.result()) as never)).toBe("a task");
    const other = await to.connect(versionOf(revision));
    expect(textOf(await other.callTool("up_kind"))).toBe("a call");
  });

  test("answers the questions of the upstream", async () => {
    const { server } = createUpstream("2025-11-25");
    const client = await declaring(await relay(server), revision, ANSWERS);
    const handle = await begin(client, "up_greet");
    expect(textOf((await handle.result()) as never)).toBe("Hello, Ada!");
  });
});

test("a call is a task only if the upstream answers with one", async () => {
  const { server } = createUpstream("2026-07-28");
  const client = await declaring(await relay(server), "2026-07-28");
  const handle = await begin(client, "up_now");
  expect(handle.id).toBeUndefined();
  expect(textOf((await handle.result()) as never)).toBe("noon");
});

test("cancelling a task whose question waits for its caller cancels the task of the upstream", async () => {
  const heard: string[] = [];
  const question = {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    },
  };
  const server = scripted(
    { taskId: "asking" },
    (taskId) => ({ taskId, status: "input_required", inputRequests: { who: question } }),
    heard,
  );
  const to = await relay(server);
  let asked = false;
  const client = await declaring(to, "2026-07-28", {
    elicitation: () => {
      asked = true;
      return new Promise<never>(() => {});
    },
  });
  const handle = await begin(client, "up_report");
  await eventually(() => expect(asked).toBe(true));
  await handle.cancel();
  await eventually(() => expect(heard).toEqual(["cancel asking"]));
});

describe("a hostile upstream", () => {
  test.each([
    ["no text", { taskId: 7 }],
    ["empty", { taskId: "" }],
    ["endless", { taskId: "x".repeat(2000) }],
    ["half a surrogate pair", { taskId: "a\uD800" }],
    ["a credential", { taskId: `task-${SECRET}` }],
  ])("cannot give a task an id that is %s", async (_what, created) => {
    const to = await relay(scripted(created, (taskId) => ({ taskId, status: "working" })));
    const client = await to.connect({ ...versionOf("2026-07-28"), ...ANSWERS });
    expect(textOf(await client.callTool("up_report"))).toBe("Error: Upstream up gave an invalid answer");
  });

  test.each([
    ["another task", { taskId: "other", status: "completed", result: { content: [] } }],
    ["a status that there is not", { taskId: "a", status: "excellent" }],
    ["no result", { taskId: "a", status: "completed" }],
    [
      "a result that is a task again",
      { taskId: "a", status: "completed", result: { resultType: "task", taskId: "b" } },
    ],
    ["an error without a message", { taskId: "a", status: "failed", error: { code: 1 } }],
  ])("cannot answer with %s", async (_what, answer) => {
    const to = await relay(scripted({ taskId: "a" }, () => answer));
    const client = await to.connect(versionOf("2026-07-28"));
    expect(textOf(await client.callTool("up_report"))).toBe("Error: Upstream up gave an invalid answer");
  });

  test("cannot ask without end: its task is cancelled", async () => {
    const heard: string[] = [];
    let count = 0;
    const server = scripted(
      { taskId: "a" },
      (taskId) => {
        count += 1;
        const params = { mode: "form", message: `${count}?`, requestedSchema: { type: "object", properties: {} } };
        return {
          taskId,
          status: "input_required",
          inputRequests: { [`q${count}`]: { method: "elicitation/create", params } },
        };
      },
      heard,
    );
    const to = await relay(server);
    const client = await to.connect({ ...versionOf("2025-11-25"), ...ANSWERS });
    expect(textOf(await client.callTool("up_report"))).toContain("asked more than 100 questions");
    await eventually(() => expect(heard).toEqual(["cancel a"]));
  });

  test("cannot keep a task at work without end: its time is up, and it is cancelled", async () => {
    const heard: string[] = [];
    const url = await overHttp(scripted({ taskId: "a" }, (taskId) => ({ taskId, status: "working" }), heard));
    const made = createRelay({
      upstreams: { up: { prefix: "up", isHttp: true, view: () => ({ connect: (given) => connect(url, given) }) } },
      tasks: { maxTtl: 300, sweepInterval: 20 },
      server: (parts) => createServer({ name: "relay", version: "1.0.0", ...parts }),
    });
    const to = await serveUntilEnd({ ...made, events: [] }, () => made.close());
    const handle = await begin(await declaring(to, "2026-07-28"), "up_report");
    await expect(handle.result()).rejects.toThrow("was not done in the time that it had");
    await eventually(() => expect(heard).toEqual(["cancel a"]));
  });

  test("cannot keep a caller waiting without end, who knows no tasks", async () => {
    const heard: string[] = [];
    let looks = 0;
    const server = scripted(
      { taskId: "a" },
      (taskId) => {
        looks += 1;
        return { taskId, status: "working" };
      },
      heard,
    );
    const to = await relay(server);
    const client = await to.connect({ ...versionOf("2026-07-28"), timeout: Infinity, maxTimeout: Infinity });
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
    onTestFinished(() => clock.mockRestore());
    const calling = client.callTool("up_report");
    await eventually(() => expect(looks).toBeGreaterThan(0));
    passed = 700_000;
    expect(textOf(await calling)).toBe("Error: Upstream up did not end its task within 600 s");
    await eventually(() => expect(heard).toEqual(["cancel a"]));
  });

  test("that dies ends the task with an error that says so", async () => {
    let looks = 0;
    const server = scripted({ taskId: "a" }, (taskId) => {
      looks += 1;
      return { taskId, status: "working" };
    });
    const serving = await serveHttp(server, { port: 0 });
    const to = await host({ up: { url: serving.url, prefix: "up", timeout: 300 } });
    const client = await declaring(to, "2026-07-28");
    const handle = await begin(client, "up_report");
    await eventually(() => expect(looks).toBeGreaterThan(0));
    await serving.close();
    expect(textOf((await handle.result()) as never)).toMatch(/^Error: Upstream up was lost before its task ended/u);
  });
});
