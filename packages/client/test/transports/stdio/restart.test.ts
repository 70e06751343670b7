import { connect, type TransportError } from "@toolwire/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scriptedProcess } from "./scripted-process.ts";

/** How often the program is killed, by how many callers it is used meanwhile, and how many answers each start has to give. */
const RESTARTS = 5;
const CALLERS = 20;
const ANSWERS = 200;

test("calls to a program that is killed again and again run at most once, and each kill costs each caller one call at most", async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-killed-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "runs");
  const discovery = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  const answer = `({ method, params }) => {
    if (method === "server/discover") return ${JSON.stringify(discovery)};
    require("node:fs").appendFileSync(${JSON.stringify(file)}, params.arguments.key + "\\n");
    return { resultType: "complete", content: [{ type: "text", text: String(process.pid) }] };
  }`;
  const { command, args = [] } = scriptedProcess(answer);
  const client = await connect(
    { command, args, stderr: "ignore" },
    { reconnect: { attempts: 100, delay: 1, maxDelay: 2 }, onDiagnostic: () => {} },
  );
  onTestFinished(() => client.close());

  const answered: string[] = [];
  const failed = new Map<string, unknown>();
  let made = 0;
  let kills = 0;
  let sinceKill = 0;
  const keepCalling = async (): Promise<void> => {
    while (kills < RESTARTS || sinceKill < ANSWERS) {
      const key = `k${++made}`;
      try {
        const { content } = await client.callTool("run", { key });
        answered.push(key);
        if (++sinceKill < ANSWERS || kills >= RESTARTS) continue;
        kills += 1;
        sinceKill = 0;
        process.kill(Number((content[0] as { readonly text: string }).text), "SIGKILL");
      } catch (error) {
        failed.set(key, error);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, keepCalling));

  expect(answered.length + failed.size).toBe(made);
  const runs = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  expect(new Set(runs).size).toBe(runs.length);
  expect(answered.filter((key) => !runs.includes(key))).toEqual([]);
  for (const error of failed.values()) expect((error as TransportError).code).toBe("CONNECTION_LOST");
  expect(failed.size).toBeLessThanOrEqual(RESTARTS * CALLERS);
});
