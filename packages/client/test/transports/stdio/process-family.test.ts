import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { ProcessFamily } from "../../../src/transports/stdio/process-tree.ts";
import { isRunning } from "./is-running.ts";

/** Ids that no process has: they are beyond what Linux gives out. */
const LEADER = 5_000_000;
const STRANGER = 5_000_001;

function startSleeper(): number {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid!;
}

/** A place where the test says which processes there are. */
async function fakeProc() {
  const proc = await mkdtemp(join(tmpdir(), "toolwire-proc-"));
  onTestFinished(() => rm(proc, { recursive: true, force: true }));
  await writeFile(join(proc, "version"), "none of the processes");
  return {
    proc,
    async add(pid: number, parent: number, startTime: number, state = "S", group = pid): Promise<void> {
      await mkdir(join(proc, String(pid)), { recursive: true });
      const fields = [state, parent, group, ...Array.from({ length: 16 }, () => 0), startTime, 0, 0];
      await writeFile(join(proc, String(pid), "stat"), `${pid} (a ) odd) name) ${fields.join(" ")}\n`);
    },
    remove: (pid: number) => rm(join(proc, String(pid)), { recursive: true }),
  };
}

it("a process family ends descendants, also those whose parent has ended since they were seen", async () => {
  const [child, grandchild] = [startSleeper(), startSleeper()];
  const system = await fakeProc();
  await system.add(LEADER, 1, 10);
  await system.add(child, LEADER, 11);
  await system.add(grandchild, child, 12);
  const family = new ProcessFamily(LEADER, system.proc);
  family.look();
  expect(family.isGone).toBe(false);
  await system.remove(LEADER);
  await system.remove(child);
  await system.add(grandchild, 1, 12);
  family.signal("SIGKILL");
  await eventually(() => expect(isRunning(grandchild)).toBe(false));
  expect(isRunning(child)).toBe(true);
  await system.remove(grandchild);
  expect(family.isGone).toBe(true);
});

it("a process family leaves a process alone that has the id of a descendant which has ended", async () => {
  const stranger = startSleeper();
  const system = await fakeProc();
  await system.add(LEADER, 1, 10);
  await system.add(stranger, LEADER, 11);
  const family = new ProcessFamily(LEADER, system.proc);
  family.look();
  // The descendant has ended, and its id was given to another process.
  await system.add(stranger, 1, 99);
  expect(family.isGone).toBe(true);
  family.signal("SIGKILL");
  expect(isRunning(stranger)).toBe(true);
});

it("a process family does not include children of a process that has taken over the id of the leader or of a descendant", async () => {
  const [child, foundling] = [startSleeper(), startSleeper()];
  const system = await fakeProc();
  await system.add(LEADER, 1, 10);
  await system.add(child, LEADER, 11);
  const family = new ProcessFamily(LEADER, system.proc);
  family.look();
  await system.add(LEADER, 1, 98);
  await system.add(child, 1, 99);
  await system.add(STRANGER, LEADER, 100);
  await system.add(foundling, child, 101);
  family.look();
  expect(family.isGone).toBe(true);
});

it("a process family leaves members of the process group of the leader to that group, but looks for their descendants", async () => {
  const [child, grandchild] = [startSleeper(), startSleeper()];
  const system = await fakeProc();
  await system.add(LEADER, 1, 10);
  await system.add(child, LEADER, 11, "S", LEADER);
  await system.add(grandchild, child, 12);
  const family = new ProcessFamily(LEADER, system.proc);
  family.look();
  family.signal("SIGTERM");
  await eventually(() => expect(isRunning(grandchild)).toBe(false));
  expect(isRunning(child)).toBe(true);
});

it("a process family counts a process as gone when only its exit code has not been read", async () => {
  const system = await fakeProc();
  await system.add(LEADER, 1, 10);
  await system.add(STRANGER, LEADER, 11);
  const family = new ProcessFamily(LEADER, system.proc);
  family.look();
  await system.add(STRANGER, LEADER, 11, "Z");
  expect(family.isGone).toBe(true);
});

it("a process family has no members where the system does not tell of processes", () => {
  const family = new ProcessFamily(process.pid, "/nowhere");
  family.look();
  family.signal("SIGKILL");
  expect(family.isGone).toBe(true);
});
