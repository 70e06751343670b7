import {
  connect,
  createResultCache,
  type Client,
  type ConnectTarget,
  type ClientDiagnostic,
  type ResultCache,
  type ServerMemory,
} from "@toolwire/client";
import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwire-"));
  program = join(folder, "server.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("stdio-server.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@toolwire/source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function textOf(client: Client, tool: string): Promise<string> {
  const { content } = await client.callTool(tool);
  return (content[0] as { text: string }).text;
}

test("a command is started, probed on the very process it is used on, and stopped", async () => {
  const client = await connect({ command: process.execPath, args: [program] });
  expect(client).toMatchObject({ era: "modern", server: { name: "started" } });
  const pid = Number(await textOf(client, "pid"));
  expect(() => process.kill(pid, 0)).not.toThrow();
  await client.close();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("a server that exits under a call rejects that call, is started again, and the next call works", async () => {
  const diagnostics: ClientDiagnostic[] = [];
  const client = await connect(
    { command: process.execPath, args: [program] },
    { reconnect: { delay: 10 }, onDiagnostic: (event) => diagnostics.push(event) },
  );
  const first = await textOf(client, "pid");
  await expect(client.callTool("exit")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  const second = await textOf(client, "pid");
  expect(second).not.toBe(first);
  expect(diagnostics.map(({ level }) => level)).toEqual(["info"]);
  await client.close();
});

test("a memory that cannot keep what was found out keeps nobody from connecting, and no process running", async () => {
  const memory: ServerMemory = {
    get: () => undefined,
    set() {
      throw new Error("quota exceeded");
    },
    delete() {},
  };
  const client = await connect({ command: process.execPath, args: [program] }, { memory });
  const pid = Number(await textOf(client, "pid"));
  await client.close();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("a command that does not exist says so", async () => {
  await expect(connect({ command: "toolwire-no-such-program" })).rejects.toMatchObject({ code: "CONNECT_FAILED" });
});

/** A program in one line, which tells of each of its starts on stderr. */
function script(code: string, starts: string[]): ConnectTarget {
  return {
    command: process.execPath,
    args: ["-e", `console.error("started"); ${code}`],
    stderr: (text) => void starts.push(...(text.match(/started/g) ?? [])),
  };
}

const FAILS = 'console.error("Error: DATABASE_URL is not set"); process.exit(7)';

test("a command that fails tells how, after a start for either handshake and no more", async () => {
  const starts: string[] = [];
  await expect(connect(script(FAILS, starts))).rejects.toMatchObject({
    code: "CONNECTION_LOST",
    message: expect.stringMatching(/exited with code 7.*DATABASE_URL is not set/s) as string,
  });
  expect(starts).toHaveLength(2);
});

test("a command that fails is started once if it is known to speak the modern era, which is then forgotten", async () => {
  const starts: string[] = [];
  const forgotten: string[] = [];
  const memory: ServerMemory = { get: () => "modern", set() {}, delete: (server) => void forgotten.push(server) };
  await expect(connect(script(FAILS, starts), { memory })).rejects.toMatchObject({
    message: expect.stringMatching(/exited with code 7.*DATABASE_URL is not set/s) as string,
  });
  expect(starts).toHaveLength(1);
  expect(forgotten).toHaveLength(1);
});

test("a legacy server that exits at whatever is not `initialize` is started again, and spoken to without a probe", async () => {
  const starts: string[] = [];
  const diagnostics: ClientDiagnostic[] = [];
  const strict = `
    const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "strict", version: "1" } };
    process.stdin.on("data", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "initialize") console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      else if (id !== undefined) process.exit(1);
    });`;
  const client = await connect(script(strict, starts), { onDiagnostic: (event) => diagnostics.push(event) });
  expect(client).toMatchObject({ era: "legacy", server: { name: "strict" } });
  expect(starts).toHaveLength(2);
  expect(diagnostics).toEqual([
    expect.objectContaining({ level: "info", message: expect.stringContaining("exited with code 1") as string }),
  ]);
  await client.close();
});

test("a command can be spoken to in any revision", async () => {
  for (const revision of ["2025-11-25", "2024-11-05"] as const) {
    const client = await connect({ command: process.execPath, args: [program] }, { revision });
    expect(await textOf(client, "echo")).toBe(revision);
    await client.close();
  }
});

test.each([
  ["to connect again", { delay: 60_000 }],
  ["for nothing more", false],
] as const)(
  "closing waits until the process of a lost connection is gone, while the client waits %s",
  async (_, reconnect) => {
    const stubborn = `
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 60_000);
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    process.stdin.on("data", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "tools/call") answer(id, { content: [], more: "x".repeat(100_000) });
      else answer(id, {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        _meta: { "io.modelcontextprotocol/serverInfo": { name: String(process.pid), version: "1" } },
      });
    });`;
    const client = await connect(
      { command: process.execPath, args: ["-e", stubborn], maxMessageBytes: 10_000, stopTimeout: 100 },
      { reconnect, memory: false, onDiagnostic: () => {} },
    );
    const pid = Number(client.server?.name);
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "OVERLOADED" });
    expect(() => process.kill(pid, 0)).not.toThrow();
    await client.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  },
);

test("a message larger than the limit of the command ends the connection", async () => {
  const client = await connect(
    { command: process.execPath, args: [program], maxMessageBytes: 10_000 },
    { reconnect: false, onDiagnostic: () => {} },
  );
  await expect(client.callTool("large")).rejects.toMatchObject({ code: "OVERLOADED" });
  await client.close();
});

test("clients of one command share what is cached, unless it has an environment, of which the store learns nothing", async () => {
  const found: string[] = [];
  const kept = createResultCache();
  const keys: string[] = [];
  const store: ResultCache = {
    get(key) {
      const result = kept.get(key);
      if (result !== undefined) found.push(key);
      return result;
    },
    set(key, ...entry) {
      keys.push(key);
      kept.set(key, ...entry);
    },
    drop: (prefix) => kept.drop(prefix),
  };
  for (const env of [undefined, undefined, { API_KEY: "sk-live-1" }, { API_KEY: "sk-live-1" }]) {
    const client = await connect(
      { command: process.execPath, args: [program], env },
      { cache: { store }, memory: false },
    );
    await client.listTools();
    await client.close();
  }
  expect(keys).toHaveLength(3);
  expect(found).toEqual([keys[0]]);
  expect(keys.join()).not.toContain("sk-live");
});
