import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect, type Client, type TransportError } from "@toolwire/client";
import { expect, onTestFinished, test } from "vitest";
import { bundleFixture } from "../../../../../test/bundle-fixture.ts";

const program = await bundleFixture(new URL("./fixtures/counting-server.ts", import.meta.url));

/** How often the server is killed, by how many callers it is used meanwhile, and how many answers each start has to give. */
const RESTARTS = 5;
const CALLERS = 20;
const ANSWERS = 100;

/** A server in a process of its own, which can be killed and started again at the same address. */
class RestartingServer {
  url = "";
  readonly #file: string;
  #child: ChildProcess | undefined;

  private constructor(file: string) {
    this.#file = file;
  }

  static async start(): Promise<RestartingServer> {
    const directory = await mkdtemp(join(tmpdir(), "toolwire-restart-"));
    const server = new RestartingServer(join(directory, "runs"));
    onTestFinished(async () => {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    this.#child = spawn(process.execPath, [program, port, this.#file], { stdio: ["ignore", "pipe", "inherit"] });
    [this.url] = (await once(createInterface({ input: this.#child.stdout! }), "line")) as [string];
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }

  /** How often the tool ran, by the key that it was called with. */
  async runs(): Promise<Map<string, number>> {
    const runs = new Map<string, number>();
    for (const key of (await readFile(this.#file, "utf8")).split("\n").slice(0, -1)) {
      runs.set(key, (runs.get(key) ?? 0) + 1);
    }
    return runs;
  }
}

/** Calls that are made at once, one after the other by each caller, and what became of them. */
class Callers {
  readonly answered: string[] = [];
  readonly answers: unknown[] = [];
  readonly failed = new Map<string, unknown>();
  readonly #client: Client;
  #made = 0;
  #isOver = false;
  #enough: { readonly count: number; readonly reached: () => void } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  get made(): number {
    return this.#made;
  }

  /** Calls until it is told to stop. After a failure, it goes on when the server is there again. */
  async keepCalling(untilUp: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const key = `k${++this.#made}`;
      try {
        const { content } = await this.#client.callTool("run", { key });
        this.answered.push(key);
        this.answers.push(content);
        if (this.answered.length >= (this.#enough?.count ?? Infinity)) this.#enough?.reached();
      } catch (error) {
        this.failed.set(key, error);
        await untilUp();
      }
    }
  }

  /** Resolves when this many more calls were answered. */
  untilAnswered(more: number): Promise<void> {
    return new Promise((reached) => {
      this.#enough = { count: this.answered.length + more, reached };
    });
  }

  stop(): void {
    this.#isOver = true;
  }
}

test.each(["legacy", "modern"] as const)(
  "calls to a server that is killed and started again settle once each, run at most once, and fail only with it: %s era",
  async (era) => {
    const server = await RestartingServer.start();
    const client = await connect(server.url, { era, memory: false, onDiagnostic: () => {} });
    onTestFinished(() => client.close());
    const callers = new Callers(client);
    let up = Promise.resolve();
    const calling = Promise.all(Array.from({ length: CALLERS }, () => callers.keepCalling(() => up)));
    for (let restart = 0; restart < RESTARTS; restart++) {
      await callers.untilAnswered(ANSWERS);
      up = server.kill().then(() => server.start());
      await up;
    }
    await callers.untilAnswered(ANSWERS);
    callers.stop();
    await calling;

    expect(callers.answered.length + callers.failed.size).toBe(callers.made);
    expect(callers.answers).toEqual(callers.answered.map((text) => [{ type: "text", text }]));
    const runs = await server.runs();
    expect([...runs].filter(([, count]) => count > 1)).toEqual([]);
    expect(callers.answered.filter((key) => !runs.has(key))).toEqual([]);
    const codes = new Set([...callers.failed.values()].map((error) => (error as TransportError).code));
    expect(["CONNECTION_LOST", "CONNECT_FAILED"]).toEqual(expect.arrayContaining([...codes]));
    for (const [key, error] of callers.failed) {
      if ((error as TransportError).code === "CONNECT_FAILED") expect(runs.has(key)).toBe(false);
    }
  },
);

test("the first calls after each start of a legacy server are answered, however short each of its sessions was", async () => {
  const server = await RestartingServer.start();
  const client = await connect(server.url, { era: "legacy", memory: false, onDiagnostic: () => {} });
  onTestFinished(() => client.close());
  for (let restart = 0; restart < RESTARTS; restart++) {
    await server.kill();
    await server.start();
    const keys = Array.from({ length: CALLERS }, (_, caller) => `k${restart}-${caller}`);
    const outcomes = await Promise.allSettled(keys.map((key) => client.callTool("run", { key })));
    expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
  }
  expect([...(await server.runs()).values()]).toEqual(Array.from({ length: RESTARTS * CALLERS }, () => 1));
});
