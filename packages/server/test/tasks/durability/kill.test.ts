/** Real processes with tasks in files, ended by real signals. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MetaKey } from "@toolwire/protocol";
import { modern, type Seen } from "../../bindings/http/client.ts";
import { DECLARED } from "../task-server.ts";
import type { Json } from "../task-clients.ts";

const PROGRAM = fileURLToPath(new URL("task-process.ts", import.meta.url));
const hasSignals = process.platform !== "win32";

/** A process with a server in it. */
class TaskProcess {
  readonly #child: ChildProcess;
  readonly url: Promise<string>;

  constructor(directory: string, resume: "fail" | "replay") {
    const args = ["--conditions=@toolwire/source", "--import", "tsx", PROGRAM, directory, resume];
    this.#child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.url = this.#firstLine();
  }

  async #firstLine(): Promise<string> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("The process has no output.");
    for await (const line of createInterface({ input: stdout })) return line;
    throw new Error("The process has ended before it served.");
  }

  async request(
    method: string,
    params: { readonly name?: string; readonly taskId?: string; [key: string]: unknown },
  ): Promise<Json> {
    const name = params.taskId ?? params.name;
    const meta = { [MetaKey.ClientCapabilities]: DECLARED };
    const response = await fetch(await this.url, modern(method, params, { meta, headers: { "mcp-name": name } }));
    const { result, error } = (await response.json()) as Seen;
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result;
  }

  async begin(name: string, args: object = {}): Promise<string> {
    const task = await this.request("tools/call", { name, arguments: args });
    return (task as { taskId: string }).taskId;
  }

  async taskIn(taskId: string, status: string): Promise<Json> {
    for (;;) {
      const task = await this.request("tasks/get", { taskId });
      if ((task as { status: string }).status === status) return task;
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}

describe.runIf(hasSignals)("Tasks in files, when processes are killed", () => {
  let directory: string;
  let processes: TaskProcess[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "killed-tasks-"));
    processes = [];
  });

  afterEach(async () => {
    await Promise.all(processes.map((each) => each.end()));
    await rm(directory, { recursive: true, force: true });
  });

  function start(resume: "fail" | "replay" = "replay"): TaskProcess {
    const started = new TaskProcess(directory, resume);
    processes.push(started);
    return started;
  }

  async function effects(): Promise<readonly string[]> {
    const text = await readFile(join(directory, "effects"), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  }

  async function seen(effect: string, count = 1): Promise<void> {
    await expect.poll(async () => (await effects()).filter((each) => each === effect).length).toBe(count);
  }

  const open = (name: string): Promise<void> => writeFile(join(directory, name), "");

  it("every task is found whose handle a client has got, whenever the process was killed", async () => {
    const handles: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const server = start();
      await server.url;
      const calls = Array.from({ length: 12 }, () =>
        server.begin("quick").then(
          (id) => void handles.push(id),
          () => undefined,
        ),
      );
      await Promise.race(calls.slice(round * 3));
      await server.end();
      await Promise.all(calls);
    }
    expect(handles.length).toBeGreaterThan(3);
    const server = start();
    for (const id of handles) {
      const task = await server.taskIn(id, "completed");
      expect(task.result.content[0].text).toBe("done");
    }
  }, 60_000);

  it("a task goes on from where it was, if it is to be replayed, and each step was done once", async () => {
    const one = start("replay");
    const id = await one.begin("job", { name: "a" });
    await seen("a kept");
    await one.end();
    const two = start("replay");
    await seen("a started", 2);
    await open("a");
    const { result } = await two.taskIn(id, "completed");
    expect(result.content[0].text).toBe("a by attempt 2");
    expect(await effects()).toEqual(["a started", "a first", "a kept", "a started", "a kept", "a second"]);
  });

  it("a task fails cleanly, if it is not to be replayed", async () => {
    const one = start("fail");
    const id = await one.begin("job", { name: "a" });
    await seen("a kept");
    await one.end();
    const { error } = await start("fail").taskIn(id, "failed");
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("interrupted") as string });
    expect(await effects()).toEqual(["a started", "a first", "a kept"]);
  });

  it("a task waits for its client beyond the end of the process, and takes the answer of the same client", async () => {
    const one = start("fail");
    const id = await one.begin("asking");
    await one.taskIn(id, "input_required");
    await one.end();
    const two = start("fail");
    expect((await two.request("tasks/get", { taskId: id })).inputRequests).toHaveProperty("who");
    const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
    await two.request("tasks/update", { taskId: id, inputResponses });
    expect((await two.taskIn(id, "completed")).result.content[0].text).toBe("Hello, Ada!");
    expect(await effects()).toEqual(["before"]);
  });

  it("a result is still there that nobody had read", async () => {
    const one = start();
    const id = await one.begin("quick");
    await one.taskIn(id, "completed");
    await one.end();
    expect((await start().taskIn(id, "completed")).result.content[0].text).toBe("done");
  });

  it("another process takes the task of a killed one up, though nobody asks for it", async () => {
    const [one, two] = [start(), start()];
    await two.url;
    const id = await one.begin("job", { name: "a" });
    await seen("a kept");
    await open("a");
    await one.end();
    await seen("a second");
    const { result } = await two.taskIn(id, "completed");
    expect(result.content[0].text).toMatch(/^a by attempt [12]$/);
    expect((await effects()).filter((effect) => effect === "a first")).toHaveLength(1);
  });

  it("a process that was stopped for longer than its claim cannot change what another has done since", async () => {
    const one = start();
    const id = await one.begin("job", { name: "a" });
    await seen("a kept");
    one.signal("SIGSTOP");
    const two = start();
    await seen("a started", 2);
    await open("a");
    const before = await two.taskIn(id, "completed");
    one.signal("SIGCONT");
    // The first process finds out that the task is not its own any more, and still answers.
    expect((await one.taskIn(id, "completed")).result.content[0].text).toBe("a by attempt 2");
    await seen("a stopped");
    expect((await two.request("tasks/get", { taskId: id })).result).toEqual(before.result);
    expect((await two.request("tasks/get", { taskId: id })).lastUpdatedAt).toBe(before.lastUpdatedAt);
  });

  it("a task that kills its process again and again is given up", async () => {
    let id = "";
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const server = start("replay");
      if (attempt === 1) id = await server.begin("job", { name: "a" });
      await seen("a started", attempt);
      await server.end();
    }
    const { error } = await start("replay").taskIn(id, "failed");
    expect(error.message).toContain("3 times");
    await seen("a started", 3);
  });

  it("a process that ends properly gives its tasks to another at once", async () => {
    const [one, two] = [start(), start()];
    await two.url;
    const id = await one.begin("job", { name: "a" });
    await seen("a kept");
    await one.end("SIGTERM");
    await seen("a started", 2);
    await open("a");
    const { result } = await two.taskIn(id, "completed");
    expect(result.content[0].text).toBe("a by attempt 1");
  });

  it("all of many open tasks come to an end after a restart", async () => {
    const one = start("replay");
    const ids = await Promise.all(Array.from({ length: 60 }, () => one.begin("job", { name: "many" })));
    await one.end();
    await open("many");
    const two = start("replay");
    for (const id of ids) await two.taskIn(id, "completed");
    expect((await effects()).filter((effect) => effect === "many second")).toHaveLength(60);
  }, 60_000);
});
